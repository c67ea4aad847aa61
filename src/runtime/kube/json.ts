/**
 * The types of `@kubernetes/client-node` as they look on the wire. That library renames what is no identifier (`_from`, `x_kubernetes_list_type`) and
 * turns timestamps into Date; we speak plain JSON, so that unknown fields survive and nothing has two types.
 */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Json<Item>[]
    : T extends object
      ? { [Key in keyof T as WireName<Key>]: Json<T[Key]> }
      : T

type WireName<Key> = Key extends `_${infer Name}`
  ? Name
  : Key extends `x_kubernetes_${infer Name}`
    ? `x-kubernetes-${Dashed<Name>}`
    : Key

type Dashed<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : Name

import { readFileSync } from 'node:fs'
import {
  create,
  createFileRegistry,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonObject as ProtoJson,
  toBinary,
} from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { JsonObject } from '../../../core/proxy/envoy/json.ts'
import { findTypesFile } from './types-file.ts'

/** Envoy's message types, by their full names. */
export class Messages {
  readonly #registry: FileRegistry

  constructor(descriptors: Uint8Array) {
    this.#registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors))
  }

  /** The bytes of a message; throws when the JSON has a field or a value that the type does not know. */
  encodeJson(type: string, json: JsonObject): Uint8Array {
    const message = fromJson(this.#type(type), json as unknown as ProtoJson, { registry: this.#registry })
    return toBinary(this.#type(type), message)
  }

  codec<Message extends object>(type: string): Codec<Message> {
    const description = this.#type(type)
    return {
      encode: (fields) => toBinary(description, create(description, Object.fromEntries(Object.entries(fields)))),
      // What a descriptor describes TypeScript cannot know; the interfaces in discovery.ts say it.
      decode: (bytes) => fromBinary(description, bytes) as unknown as Message,
    }
  }

  #type(name: string): DescMessage {
    const type = this.#registry.getMessage(name)
    if (!type) throw new Error(`${name} is not among the message types that make setup compiled`)
    return type
  }
}

export interface Codec<Message> {
  readonly encode: (fields: Message) => Uint8Array
  readonly decode: (bytes: Uint8Array) => Message
}

let loaded: Messages | undefined

/** Loaded when Envoy is really used: it takes some milliseconds and megabytes. */
export function envoyMessages(): Messages {
  loaded ??= new Messages(readFileSync(findTypesFile()))
  return loaded
}

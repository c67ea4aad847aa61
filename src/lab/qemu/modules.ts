/** Which modules a kernel module needs, as it says itself in its `.modinfo` section. */
export function moduleDependencies(module: Buffer): string[] {
  const key = Buffer.from('depends=')
  for (let at = module.indexOf(key); at >= 0; at = module.indexOf(key, at + 1)) {
    // The entries of the section are strings that end with a zero byte; anything else is a chance find.
    if (module[at - 1] !== 0) continue
    const text = module.toString('latin1', at + key.length, module.indexOf(0, at))
    return text.split(',').filter(Boolean)
  }
  return []
}

/**
 * The wanted modules and all they need, in the order they can be loaded. `read` gives a module's bytes, or undefined
 * for one that is built into the kernel.
 */
export function loadOrder(wanted: readonly string[], read: (name: string) => Buffer | undefined): string[] {
  const order: string[] = []
  const visit = (name: string): void => {
    const module = order.includes(name) ? undefined : read(name)
    if (!module) return
    for (const needed of moduleDependencies(module)) visit(needed)
    order.push(name)
  }
  for (const name of wanted) visit(name)
  return order
}

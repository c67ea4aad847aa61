import { NeighbourWatch } from '../watch.ts'

/** Run as a process of its own in a namespace: looks after one neighbour and prints what is wrong, when it is. */
const [name = '', address = '', mac = ''] = process.argv.slice(2)
const watch = new NeighbourWatch({ everyMs: 100 })
watch.follow([{ name, address, mac }])
setInterval(() => {
  const [problem] = watch.problems
  process.stdout.write(`${problem?.message ?? 'fine'}\n`)
}, 500)

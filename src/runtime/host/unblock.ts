/**
 * Makes reads and writes of an inherited descriptor fail with EAGAIN where they would wait. Node has no fcntl, but libuv's pipe
 * sets O_NONBLOCK on every descriptor that it opens, and nothing else; the class has no public name. Whoever needs to be sure
 * looks at the flags afterwards.
 */
export function unblockBy(process: object): (fd: number) => void {
  return (fd) => {
    const binding: unknown = Reflect.get(process, 'binding')
    if (typeof binding !== 'function') return
    const { Pipe, constants } = Reflect.apply(binding, process, ['pipe_wrap'])
    const pipe = new Pipe(constants.SOCKET)
    pipe.open(fd)
    pipe.unref()
  }
}

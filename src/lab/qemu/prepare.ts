import type { OnLabEvent } from '../events.ts'
import { qemuImage } from './image.ts'
import type { QemuImage } from './qemuvm.ts'

/** Kernel and initramfs are got while the rest is built. Without them the lab goes on, and says so. */
export async function prepareQemu(
  obstacle: string | undefined,
  onEvent: OnLabEvent,
  stop: AbortSignal,
): Promise<QemuImage | undefined> {
  const skip = (why: string): void => onEvent({ type: 'note', text: `no QEMU VM: ${why}` })
  if (obstacle !== undefined) {
    skip(obstacle)
    return undefined
  }
  const what = 'kernel for the QEMU VM'
  let fetched: string | undefined
  const fetching = (name: string): void => {
    fetched = name
    onEvent({ type: 'begun', what })
  }
  try {
    const image = await qemuImage(fetching, stop)
    if (fetched) onEvent({ type: 'done', what, text: `${fetched} fetched; the next run has it` })
    return image
  } catch (error) {
    if (!stop.aborted) skip(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

/** What a boot server has, by file name. */
export const bootFiles = { kernel: 'vmlinuz', initramfs: 'base.cpio' } as const

/** What only this machine has, over the files that are the same for all. */
export function machineFile(name: string): string {
  return `${name}.cpio`
}

/**
 * The script that iPXE runs, for every machine the same: `next-server`, `filename` and `hostname` are what DHCP told it.
 * The kernel is told where it came from, so that the machine can see that it was DHCP's word.
 */
export function bootScript(kernelArguments: string): string {
  const server = `http://\${next-server}`
  const origin = `oooi.address=\${net0/ip} oooi.server=\${next-server} oooi.file=\${filename}`
  return [
    '#!ipxe',
    `kernel ${server}/${bootFiles.kernel} ${kernelArguments} ${origin}`,
    `initrd ${server}/${bootFiles.initramfs}`,
    `initrd ${server}/${machineFile(`\${hostname}`)}`,
    'boot',
    '',
  ].join('\n')
}

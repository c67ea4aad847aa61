import { existsSync } from 'node:fs'
import { failed, ok, type Result } from '../../core/result.ts'
import { guestScripts } from '../vm/guestfiles.ts'
import { labTools, missingPackages } from './tools.ts'

/** What the lab needs of the machine before it starts, each as one sentence that says what to do. */
export function checkHost(): Result<void> {
  if (process.platform !== 'linux') {
    return failed({
      reason: 'LabNotPossible',
      message: `the lab is made of Linux namespaces, and this is ${process.platform}: run it in a Linux VM`,
    })
  }
  if (!existsSync(guestScripts)) {
    return failed({
      reason: 'LabNotPossible',
      message: `the lab runs from a checkout of oooi, with its sources, and there is no ${guestScripts}: clone the repository and run \`make lab\``,
    })
  }
  const packages = missingPackages(labTools.filter((tool) => !tool.optional))
  if (packages.length > 0) {
    return failed({
      reason: 'LabNotPossible',
      message: `programs the lab runs are not installed: run \`make setup\`, or \`apt-get install ${packages.join(' ')}\``,
    })
  }
  return ok()
}

/** A Kubernetes wants more of the machine than an ordinary user's namespaces have: control groups, many users. */
export function checkRoot(userId: number): Result<void> {
  if (userId === 0) return ok()
  return failed({
    reason: 'LabNotPossible',
    message: "the lab's Kubernetes needs root: run `sudo bin/oooi lab-cluster`",
  })
}

import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { describeWithControlPlane } from './availability.ts'
import { setup, teardown } from './globalsetup.ts'
import { useSharedControlPlane } from './use.ts'

describeWithControlPlane('the shared control plane', () => {
  const plane = useSharedControlPlane()

  it.concurrent.each(['one', 'another'])('gives %s test a namespace of its own', async (name) => {
    const namespace = await plane().newNamespace()
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'same-name' }, data: { name } }
    expect((await plane().request(path, { method: 'POST', body })).status).toBe(201)
    const read = await plane().request<{ data: object }>(`${path}/same-name`)
    expect(read.body.data).toEqual({ name })
  })
})

describeWithControlPlane('the global set-up', () => {
  it('starts one control plane for all who ask, and stops it', async () => {
    let port = 0
    await setup({
      provide: (_, value) => {
        port = value
      },
    })
    const answers = await Promise.all([1, 2].map(() => text(connect(port, '127.0.0.1'))))
    const [first, second] = answers.map((answer) => JSON.parse(answer).address.directory)
    expect(existsSync(first)).toBe(true)
    expect(second).toBe(first)
    await teardown()
    expect(existsSync(first)).toBe(false)
  })

  it('starts nothing when nobody asks', async () => {
    await setup({ provide: () => {} })
    await teardown()
  })
})

import { join } from 'node:path'
import type { LabPlan } from '../plan.ts'
import { type Certificate, certificateFile, keyFile } from './certificates.ts'
import type { HttpsService, Service } from './service.ts'

/** Who signs for which names. The API server is also reached by address, without any name. */
export function controlPlaneCertificates(plan: LabPlan): Certificate[] {
  const names = (...hosts: string[]): string[] => hosts.map((host) => `DNS:${host}`)
  return [
    {
      name: 'api',
      subjectAltNames: [
        ...names(`api.${plan.domain}`, `api-int.${plan.domain}`),
        ...names('kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'),
        `IP:${plan.vlan.proxy}`,
      ],
    },
    { name: 'oauth', subjectAltNames: names(`oauth.${plan.domain}`) },
    { name: 'ignition', subjectAltNames: names(`ignition.${plan.domain}`) },
    { name: 'konnectivity', subjectAltNames: names(`konnectivity.${plan.domain}`) },
    { name: 'apps', subjectAltNames: names(`*.apps.${plan.domain}`) },
  ]
}

/** The pod network's side: the hosted control plane, and the resolver of the management network. */
export function controlPlaneServices(plan: LabPlan, certificates: string): Service[] {
  const { pods } = plan
  const ignition = { ignition: { version: '3.4.0' } }
  return [
    https('api', pods.api, 6443, certificates, { '/version': { major: '1', minor: '33', gitVersion: 'v1.33.0' } }),
    https('oauth', pods.oauth, 6443, certificates, { '/healthz': 'ok' }),
    https('ignition', pods.ignition, 443, certificates, { '/ignition': ignition }),
    {
      kind: 'stream',
      name: 'konnectivity',
      address: pods.konnectivity,
      port: 8091,
      ...signed('konnectivity', certificates),
    },
    {
      kind: 'dns',
      name: 'resolver',
      address: pods.resolver,
      port: 53,
      records: { [plan.elsewhere.name]: plan.elsewhere.address },
    },
  ]
}

/** The VLAN's side: the ingress of the hosted cluster behind the apps VIP. */
export function appsServices(plan: LabPlan, certificates: string): Service[] {
  return [https('apps', plan.vlan.apps, 443, certificates, { '/': { route: 'console' } })]
}

function https(
  name: string,
  address: string,
  port: number,
  certificates: string,
  paths: HttpsService['paths'],
): Service {
  return { kind: 'https', name, address, port, paths, ...signed(name, certificates) }
}

function signed(name: string, directory: string): { certificate: string; key: string } {
  return { certificate: join(directory, certificateFile(name)), key: join(directory, keyFile(name)) }
}

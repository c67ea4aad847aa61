import { everybody, type Place, placeText } from './place.ts'
import { backlog, receiveBufferMiB } from './waiting.ts'

/** An Infra as its sockets see it. */
export interface UnitInfra {
  readonly name: string
  readonly places: readonly Place[]
  /** The interface on its VLAN, where it is known. */
  readonly interfaceName: string | undefined
}

/** A file below /etc/systemd/system. */
export interface UnitFile {
  readonly path: string
  readonly text: string
}

/** The instance that systemd starts when something comes and none of them runs. */
const firstInstance = 'oooi@blue.service'

/**
 * The socket units with which systemd listens for `oooi up`, and what oooi@.service needs to inherit from them. One unit
 * for all, but for the broadcasts of each VLAN: BindToDevice= holds for a whole unit, and of a socket that is bound to the
 * interface nobody else's broadcasts are heard.
 */
export function socketUnits(infras: readonly UnitInfra[]): UnitFile[] {
  const common = unique(infras.flatMap(({ places }) => places.filter(({ address }) => address !== everybody)))
  const units = [
    unit('oooi.socket', 'what oooi serves on', [...common.map(listenLine), ...options(common)]),
    ...infras.flatMap(({ name, places, interfaceName }) => {
      const broadcasts = places.filter(({ address }) => address === everybody)
      if (broadcasts.length === 0) return []
      return [
        unit(`oooi-dhcp-${name}.socket`, `DHCP broadcasts on the VLAN of Infra ${name}`, [
          ...broadcasts.map(listenLine),
          ...(interfaceName === undefined
            ? [`# BindToDevice=    the interface on the VLAN, without which broadcasts of others arrive too`]
            : [`BindToDevice=${interfaceName}`]),
          // By this the Infra knows which of several sockets for broadcasts is its own.
          `FileDescriptorName=${name}`,
          ...options(broadcasts),
        ]),
      ]
    }),
  ]
  return [...units, inheritance(units)]
}

function unit(path: string, description: string, lines: readonly string[]): UnitFile {
  const text = [
    `# Written by "oooi up --socket-units"; write it anew when an Infra changes its addresses or ports.`,
    '[Unit]',
    `Description=oooi: ${description}`,
    '',
    '[Socket]',
    ...lines,
    // Which of the two instances runs does not matter; systemd starts this one only if neither does.
    `Service=${firstInstance}`,
    '',
    '[Install]',
    'WantedBy=sockets.target',
  ]
  return { path, text: `${text.join('\n')}\n` }
}

function listenLine(place: Place): string {
  const [, where] = placeText(place).split(' ')
  return `${place.protocol === 'tcp' ? 'ListenStream' : 'ListenDatagram'}=${where}`
}

function options(places: readonly Place[]): string[] {
  const has = (protocol: Place['protocol']) => places.some((place) => place.protocol === protocol)
  return [
    // The address may come to the interface later than the socket.
    'FreeBind=yes',
    ...(places.some(({ address }) => address.includes(':')) ? ['BindIPv6Only=ipv6-only'] : []),
    ...(has('tcp') ? [`Backlog=${backlog}`] : []),
    ...(has('udp') ? ['Broadcast=yes', `ReceiveBuffer=${receiveBufferMiB}M`] : []),
  ]
}

/** With the sockets open, nothing is left that needs a capability. */
function inheritance(units: readonly UnitFile[]): UnitFile {
  const text = [
    '# Written by "oooi up --socket-units": both instances inherit the same sockets.',
    '[Service]',
    `Sockets=${units.map(({ path }) => path).join(' ')}`,
    'AmbientCapabilities=',
    'CapabilityBoundingSet=',
  ]
  return { path: 'oooi@.service.d/sockets.conf', text: `${text.join('\n')}\n` }
}

function unique(places: readonly Place[]): Place[] {
  return [...new Map(places.map((place) => [placeText(place), place])).values()]
}

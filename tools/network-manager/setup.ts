import { bring } from '../kube/bring.ts'
import { provideNetworkManager } from './network-manager.ts'

/** The DHCP client of most distributions and of every OpenShift node. */
const find = async () => (await provideNetworkManager()).program
await bring('NetworkManager', find, 'THE TEST OF DHCP WITH NETWORKMANAGER WILL BE SKIPPED.')

import { BlockList, isIPv6 } from 'node:net';

const groupsOfAddress = 8;
/** One customer of a provider has at least this many groups to itself, and 2^64 addresses in them. */
const groupsOfNetwork = 4;

/** What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 one. */
export function ipNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  // `fe80::1%eth0`: the interface is ours, not the client's.
  const [left = [], right = []] = (address.split('%', 1)[0] ?? '').split('::').map(groupsOf);
  const zeros = Array.from({ length: groupsOfAddress - left.length - right.length }, () => '0');
  const network = [...left, ...zeros, ...right].slice(0, groupsOfNetwork);
  return `${network.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** @param networks addresses, and networks like `10.0.0.0/8` @returns whether an address is one of them */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (isIPv6(address)) list.addSubnet(address, Number(bits ?? 128), 'ipv6');
    else list.addSubnet(address, Number(bits ?? 32), 'ipv4');
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

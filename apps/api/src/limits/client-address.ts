import { isIPv6 } from 'node:net';

const groupsOfAddress = 8;
/** One customer of a provider has at least this many groups to itself, and 2^64 addresses in them. */
const groupsOfNetwork = 4;

/** `fe80::1%eth0`: the interface is ours, not the client's. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? address;

/** What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 one. */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = withoutZone(address).split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: groupsOfAddress - left.length - right.length }, () => '0');
  const network = [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, groupsOfNetwork);
  return `${network.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Groups of the network that a provider gives to one site, as a rule. */
const groupsOfSite = 3;

/**
 * The network that a client's one belongs to: of IPv6 the first 48 bits, of IPv4 the address itself.
 * @param client as {@link clientOf} names it
 */
export function siteOf(client: string): string {
  if (!client.includes(':')) return client;
  return `${client.split(':').slice(0, groupsOfSite).join(':')}::/48`;
}

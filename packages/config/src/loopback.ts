import { BlockList } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Only addresses that are loopback by definition count: any other name could resolve to anything. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || loopback.check(host, 'ipv4') || loopback.check(host, 'ipv6');
}

/** The name in a `Host` header, without port and brackets. */
export function hostOf(header: string | undefined): string | undefined {
  const url = `http://${header ?? ''}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
}

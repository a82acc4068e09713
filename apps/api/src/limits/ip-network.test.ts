import { inNetworks, ipNetwork } from './ip-network';

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8::5', '2001:db8:0:0::/64'],
  ['2001:0DB8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s is %s', (address, client) => {
  expect(ipNetwork(address)).toBe(client);
});

test.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['192.0.2.1', true],
  ['192.0.2.2', false],
  ['2001:db8::1', true],
  ['2001:db9::1', false],
  ['unknown', false],
])('%s is a trusted proxy: %s', (address, isOne) => {
  expect(inNetworks(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])(address)).toBe(isOne);
});

import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { describeError, RetryableError, TerminalError } from "../types/mod.ts";

/** Special-purpose addresses (the registries of RFC 6890): this machine, its networks, and what is no host of the internet. */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/** Of IPv6 only global unicast is the internet, without documentation and without forms that hold an IPv4 address. */
const GLOBAL_IPV6 = "2000::/3";
const SPECIAL_IPV6 = ["2001::/32", "2001:db8::/32", "2002::/16", "3fff::/20"];

const special = listOf(SPECIAL_IPV4, "ipv4");
const specialV6 = listOf(SPECIAL_IPV6, "ipv6");
const globalV6 = listOf([GLOBAL_IPV6], "ipv6");

function listOf(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits = ""] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an address is one of the internet. A text that is no address is none. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6:
      return globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6");
    default:
      return false;
  }
}

/**
 * An address of a host that may be connected to. A name with any private address is refused, so that it does not matter which one a
 * client takes. Throws TerminalError `host_not_allowed`, RetryableError `host_unknown`.
 */
export async function addressOf(host: string, o: { allowPrivate: boolean }): Promise<string> {
  const addresses = await addressesOf(host.replace(/^\[(.*)\]$/, "$1"));
  const [first] = addresses;
  if (first === undefined) throw new RetryableError("host_unknown", `The host ${host} has no address.`);
  if (!o.allowPrivate && !addresses.every(isPublic)) {
    throw new TerminalError(
      "host_not_allowed",
      `The host ${host} has a private address. Set WEIR_EXPORT_ALLOW_PRIVATE=1 to allow private networks.`,
    );
  }
  return first;
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new RetryableError("host_unknown", `The host ${host} cannot be found: ${describeError(error)}`);
  }
}

/**
 * Sends a request to a host that was checked. Over http it goes to the address that was checked: a name whose address changes
 * between the check and the connection gains nothing. Over https the certificate sees to that. Redirects are not followed.
 */
export async function guardedFetch(url: string, init: RequestInit, o: { allowPrivate: boolean }): Promise<Response> {
  const target = new URL(url);
  const address = await addressOf(target.hostname, o);
  if (target.protocol === "https:") return fetch(url, { ...init, redirect: "manual" });
  const headers = new Headers(init.headers);
  headers.set("Host", target.host);
  const pinned = `http://${isIP(address) === 6 ? `[${address}]` : address}:${target.port || 80}`;
  return fetch(`${pinned}${target.pathname}${target.search}`, { ...init, headers, redirect: "manual" });
}

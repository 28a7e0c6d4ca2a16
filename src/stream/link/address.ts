import { readFileSync } from "node:fs";
import { credsAuthenticator, type NodeConnectionOptions } from "@nats-io/transport-node";
import { describeError, TerminalError } from "../../types/mod.ts";

/** How a broker is reached, and what it is asked for. */
export interface BrokerAddress {
  /** `nats://[user:password@ | token@]host:port`, or `tls://…`, which insists on TLS; servers of a cluster with `,` between them. */
  url: string;
  /** Servers of the cluster that have a copy of each stream. Null: new streams have one, those that are there stay as they are. */
  replicas: number | null;
  /** Files in PEM; null: those of the system, and none of this client. */
  caFile: string | null;
  certFile: string | null;
  keyFile: string | null;
  /** A file of credentials, as `nsc` writes it: in place of a user or token in the address. */
  credentialsFile: string | null;
}

/** An address with nothing but a URL. */
export const plainAddress = (url: string): BrokerAddress => {
  return { url, replicas: null, caFile: null, certFile: null, keyFile: null, credentialsFile: null };
};

/** Throws TerminalError `invalid_setting`; the message never has a password. */
export function connectionOptions(address: BrokerAddress): NodeConnectionOptions {
  const urls = address.url.split(",").map((text) => readUrl(text.trim()));
  const { caFile, certFile, keyFile, credentialsFile } = address;
  const isTls = caFile !== null || certFile !== null || urls.some(({ protocol }) => protocol === "tls:");
  const files = { caFile: caFile ?? undefined, certFile: certFile ?? undefined, keyFile: keyFile ?? undefined };
  const { username, password } = urls.find(({ username }) => username !== "") ?? urls[0]!;
  const user = decodeURIComponent(username);
  return {
    servers: urls.map(({ host }) => host),
    ...(isTls ? { tls: Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined)) } : {}),
    ...(credentialsFile === null ? {} : { authenticator: credsAuthenticator(readCredentials(credentialsFile)) }),
    ...(user === "" ? {} : password === "" ? { token: user } : { user, pass: decodeURIComponent(password) }),
  };
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "nats:" || url.protocol === "tls:") && url.host !== "") return url;
  throw new TerminalError(
    "invalid_setting",
    "NATS_URL must be nats://HOST:PORT or tls://HOST:PORT, several with commas between",
  );
}

function readCredentials(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    const problem = `The credentials of NATS (WEIR_NATS_CREDS) cannot be read: ${describeError(cause)}`;
    throw new TerminalError("invalid_setting", problem, { cause });
  }
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, createOperator, createUser, type KeyPair } from "@nats-io/nkeys";
import { type BrokerAddress, connectBus, plainAddress } from "../../src/stream/mod.ts";
import { natsServerPath } from "../support/broker.ts";
import { freePort, HANG_MS, until } from "../support/processes.ts";

/** Made for these tests, for 127.0.0.1, a hundred years long. */
const TLS = join(import.meta.dir, "..", "support", "tls");
const CA = join(TLS, "ca.pem");
const CERT = join(TLS, "cert.pem");
const KEY = join(TLS, "key.pem");

let folder: string;
const running: Bun.Subprocess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-secure-broker-"));
});
afterAll(async () => {
  for (const server of running) server.kill("SIGKILL");
  await Promise.all(running.map((server) => server.exited));
  rmSync(folder, { recursive: true, force: true });
});

/** Gives the host and port of a nats-server with these settings. */
async function serve(settings: object): Promise<string> {
  const port = await freePort();
  const config = join(folder, `${port}.conf`);
  const jetstream = { store_dir: join(folder, String(port)), max_file_store: 1024 ** 3 };
  writeFileSync(config, JSON.stringify({ listen: `127.0.0.1:${port}`, jetstream, ...settings }));
  running.push(Bun.spawn([natsServerPath(), "-c", config], { stdout: "ignore", stderr: "ignore" }));
  await until("the server to listen", HANG_MS, () =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    ),
  );
  return `127.0.0.1:${port}`;
}

/** Makes and reads a stream: what an address is good for. */
async function use(address: BrokerAddress): Promise<number> {
  const bus = await connectBus(address);
  try {
    return (await bus.ensureStream({ lane: "live", generation: 1, maxBytes: 1024 ** 2 })).messages;
  } finally {
    await bus.close();
  }
}

describe("a broker with TLS", () => {
  let host: string;
  beforeAll(async () => {
    host = await serve({ tls: { cert_file: CERT, key_file: KEY, ca_file: CA, verify: true } });
  });

  test("is trusted by its authority, and trusts a client by its certificate", async () => {
    const files = { caFile: CA, certFile: CERT, keyFile: KEY };
    expect(await use({ ...plainAddress(`tls://${host}`), ...files })).toBe(0);
    expect(await use({ ...plainAddress(`nats://${host}`), ...files })).toBe(0);
  });

  test("whose authority is unknown is refused, and so is a client without a certificate", async () => {
    const unknown = use({ ...plainAddress(`tls://${host}`), certFile: CERT, keyFile: KEY });
    await expect(unknown).rejects.toMatchObject({ code: "broker_unavailable" });
    const nameless = use({ ...plainAddress(`tls://${host}`), caFile: CA });
    await expect(nameless).rejects.toMatchObject({ code: "broker_unavailable" });
  });
});

test("tls:// insists: a broker without TLS is refused", async () => {
  const host = await serve({});
  expect(await use(plainAddress(`nats://${host}`))).toBe(0);
  await expect(use(plainAddress(`tls://${host}`))).rejects.toMatchObject({ code: "broker_unavailable" });
});

test("credentials let a user in, and nothing else does", async () => {
  const [operator, system, account, user] = [createOperator(), createAccount(), createAccount(), createUser()];
  const limits = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1, subs: -1, data: -1, payload: -1 };
  const all = { ...limits, imports: -1, exports: -1, conn: -1, leaf: -1, wildcards: true };
  const jwts = {
    operator: signed(operator, operator, { type: "operator", version: 2, system_account: system.getPublicKey() }),
    system: signed(system, operator, {
      type: "account",
      version: 2,
      limits: { ...all, disk_storage: 0, mem_storage: 0 },
    }),
    account: signed(account, operator, { type: "account", version: 2, limits: all }),
    user: signed(user, account, { type: "user", version: 2, subs: -1, data: -1, payload: -1 }),
  };
  const host = await serve({
    operator: jwts.operator,
    resolver: "MEMORY",
    system_account: system.getPublicKey(),
    resolver_preload: { [system.getPublicKey()]: jwts.system, [account.getPublicKey()]: jwts.account },
  });
  const credentialsFile = join(folder, "user.creds");
  const seed = new TextDecoder().decode(user.getSeed());
  writeFileSync(
    credentialsFile,
    `-----BEGIN NATS USER JWT-----\n${jwts.user}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
  );
  const address = plainAddress(`nats://${host}`);
  expect(await use({ ...address, credentialsFile })).toBe(0);
  await expect(use(address)).rejects.toMatchObject({ code: "broker_unavailable" });
  const missing = use({ ...address, credentialsFile: join(folder, "none.creds") });
  await expect(missing).rejects.toMatchObject({ code: "invalid_setting" });
});

test.each(["", "http://a:1", "nats://a:1,b:2", "nats://"])("an address that is none is told: %p", async (url) => {
  await expect(connectBus(url)).rejects.toMatchObject({ code: "invalid_setting" });
});

/** A claim of NATS about a key, by the key of a higher one. */
function signed(subject: KeyPair, issuer: KeyPair, nats: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claim = { jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000), iss: issuer.getPublicKey() };
  const text = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part({ ...claim, sub: subject.getPublicKey(), name: "test", nats })}`;
  return `${text}.${Buffer.from(issuer.sign(new TextEncoder().encode(text))).toString("base64url")}`;
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore } from "../../src/store/mod.ts";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";

/** Opens the store of a database; gives what secures the connection. */
async function use(databaseUrl: string): Promise<{ isSecure: boolean }> {
  const db = await openStore({ databaseUrl, sqlitePath: "" }, { migrations: [], mustExist: false });
  try {
    const read = await db.read((tx) => tx`select ssl from pg_stat_ssl where pid = pg_backend_pid()`);
    const written = await db.write((tx) => tx`select ssl from pg_stat_ssl where pid = pg_backend_pid()`);
    return { isSecure: read[0].ssl && written[0].ssl };
  } finally {
    await db.close();
  }
}

describe.if(findPostgres() !== null)("a database with TLS", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ onlyTls: true });
  });
  afterAll(() => server.stop());

  /** The address of the server with these parameters. */
  const address = (query: string, host = "127.0.0.1") => {
    const url = new URL(server.url);
    url.hostname = host;
    url.password = "not-to-be-shown";
    url.search = query;
    return url.href;
  };
  const authority = () => `&sslrootcert=${new URL(server.url).searchParams.get("sslrootcert")}`;

  test("is trusted by its authority and its name", async () => {
    expect(await use(address(`?sslmode=verify-full${authority()}`))).toEqual({ isSecure: true });
    expect(await use(address(`?sslmode=verify-ca${authority()}`, "127.0.0.2"))).toEqual({ isSecure: true });
    expect(await use(address("?sslmode=require"))).toEqual({ isSecure: true });
  });

  test.each([
    ["whose authority is unknown", () => address("?sslmode=verify-full")],
    ["with another name", () => address(`?sslmode=verify-full${authority()}`, "127.0.0.2")],
    ["that is asked without TLS", () => address("?sslmode=disable")],
  ])("%s is refused, and the password is not shown", async (_, url) => {
    const error = await use(url()).then(
      () => null,
      (error) => error,
    );
    expect(error).toMatchObject({ code: "store_unreachable" });
    expect(error.message).not.toContain("not-to-be-shown");
  });
});

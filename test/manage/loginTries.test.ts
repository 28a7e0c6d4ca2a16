import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Turns } from "../../src/manage/passwords/turns.ts";
import { networkOf } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { Browser, EMAIL, PASSWORD, setUp } from "./browser.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ME = "/api/users/@me/";

let server: ManageServer;
let hashed: number;
beforeEach(async () => {
  // So that a test can come from many addresses.
  server = await startManage({ trustProxy: true });
  hashed = 0;
  const verify = server.deps.passwords.verify.bind(server.deps.passwords);
  server.deps.passwords.verify = (password, hash) => {
    hashed++;
    return verify(password, hash);
  };
});
afterEach(() => server.stop());

const from = (address: string) => new Browser(server, { "X-Forwarded-For": address });

/** How many of these tries were answered by each status. */
async function count(tries: Promise<{ status: number }>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(tries)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

describe("tries of passwords", () => {
  test("are 5 a minute and 20 an hour for an e-mail from an address", async () => {
    await setUp(server);
    const tryIt = () => from("203.0.113.7").login("wrong password");
    const each: Record<number, number>[] = [...times(4, () => ({ 400: 5, 429: 3 })), { 429: 8 }];
    for (const expected of each) {
      expect(await count(times(8, tryIt))).toEqual(expected);
      server.nowMs += MINUTE_MS;
    }
    const reply = await tryIt();
    expect(reply.json).toMatchObject({ type: "throttled_error", code: "throttled" } as never);
    expect(reply.headers.get("retry-after")).toBe(String((HOUR_MS - 5 * MINUTE_MS) / 1000));
    // Also with the right password, and not for another address.
    expect((await from("203.0.113.7").login()).status).toBe(429);
    expect((await from("203.0.113.8").login()).status).toBe(200);
  });

  test("are forgotten once the password is right", async () => {
    await setUp(server);
    for (let i = 0; i < 10; i++) expect((await from("203.0.113.7").login()).status).toBe(200);
    expect(await count(times(4, () => from("203.0.113.7").login("wrong password")))).toEqual({ 400: 4 });
    expect((await from("203.0.113.7").login()).status).toBe(200);
    expect(await count(times(5, () => from("203.0.113.7").login("wrong password")))).toEqual({ 400: 5 });
  });

  test("are limited by address over all e-mails", async () => {
    const tryIt = (i: number) => from("203.0.113.7").login("wrong password", `user${i}@example.com`);
    let refused = 0;
    for (let i = 0; i < 40; i++) if ((await tryIt(i)).status === 429) refused++;
    expect(refused).toBe(10);
    expect(hashed).toBe(30);
  });

  test("that are refused do not count against others of the address", async () => {
    expect(await count(times(100, () => from("203.0.113.7").login("wrong password")))).toEqual({ 400: 5, 429: 95 });
    expect((await from("203.0.113.7").login("wrong password", "other@example.com")).status).toBe(400);
  });

  test("are limited by e-mail over all addresses, and a session goes on", async () => {
    const browser = await setUp(server);
    let refused = 0;
    for (let i = 0; i < 30; i++) if ((await from(`203.0.113.${i}`).login("wrong password")).status === 429) refused++;
    expect(refused).toBe(10);
    expect((await browser.send("GET", ME)).status).toBe(200);
    expect((await browser.send("PATCH", ME, { first_name: "Ada" })).status).toBe(200);
  });

  test("of one IPv6 network count as of one address", async () => {
    const statuses = await count(times(6, (i) => from(`2001:db8:1:2::${i}`).login("wrong password")));
    expect(statuses).toEqual({ 400: 5, 429: 1 });
    expect((await from("2001:db8:1:3::1").login("wrong password")).status).toBe(400);
    const networks = ["2001:db8::1", "2001:0db8:0:0::", "2001:db8:0:0:1:2:3:4", "2001:db8::1%eth0"].map(networkOf);
    expect(new Set(networks)).toEqual(new Set(["2001:db8:0:0::/64"]));
    expect(["::1", "203.0.113.7", "nonsense"].map(networkOf)).toEqual(["0:0:0:0::/64", "203.0.113.7", "nonsense"]);
  });

  test("of the current password in a stolen session are limited, too", async () => {
    const browser = await setUp(server);
    const guess = (current_password: string) =>
      browser.send("PATCH", ME, { password: "another good one", current_password });
    expect(await count(times(7, () => guess("wrong")))).toEqual({ 400: 5, 429: 2 });
    expect((await guess(PASSWORD)).status).toBe(429);
  });

  test("10,000 from many addresses cost a few hashes, and others are answered meanwhile", async () => {
    await setUp(server);
    const statuses: Record<number, number> = {};
    for (let begin = 0; begin < 10_000; begin += 500) {
      const tries = times(500, (i) => from(`198.51.${(begin + i) % 256}.${(begin >> 8) % 256}`).login("wrong", EMAIL));
      const other = server.send("GET", "/api/projects/");
      for (const [status, n] of Object.entries(await count(tries))) {
        statuses[Number(status)] = (statuses[Number(status)] ?? 0) + n;
      }
      expect((await other).status).toBe(200);
    }
    expect(hashed).toBeLessThanOrEqual(20);
    expect(statuses).toEqual({ 400: hashed, 429: 10_000 - hashed });
  });
});

describe("turns", () => {
  test("let two work at once and twenty wait in order, and refuse more", async () => {
    const turns = new Turns({ atOnce: 2, waiting: 20 });
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    let most = 0;
    let running = 0;
    const work = (i: number) =>
      turns.take(async () => {
        begun.push(i);
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running--;
        if (i === 5) throw new Error("a work that fails");
        return i;
      });
    const works = times(22, work);
    const settled = Promise.allSettled(works);
    await expect(work(22)).rejects.toMatchObject({ status: 429, headers: { "Retry-After": "2" } });
    while (ends.length > 0) {
      ends.shift()!();
      await Bun.sleep(0);
    }
    const results = await settled;
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect([most, begun]).toEqual([2, times(22, (i) => i)]);
    const again = turns.take(async () => "free");
    expect(await again).toBe("free");
  });
});

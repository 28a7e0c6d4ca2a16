import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addressOf, guardedFetch, isPublic } from "../../src/outgoing/mod.ts";

const GUARDED = { allowPrivate: false };

describe("an address", () => {
  test.each([
    "127.0.0.1",
    "127.255.255.255",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "fc00::1",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001::1",
    "localhost",
    "",
  ])("%p is none of the internet", (address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each(["8.8.8.8", "172.32.0.1", "172.15.255.255", "11.0.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"])(
    "%p is one of the internet",
    (address) => {
      expect(isPublic(address)).toBe(true);
    },
  );

  test("of IPv4 is told by arithmetic on its four bytes alike", () => {
    const isSpecial = ([a, b, c]: readonly number[]) =>
      [0, 10, 127].includes(a!) ||
      a! >= 224 ||
      (a === 100 && b! >= 64 && b! < 128) ||
      (a === 169 && b === 254) ||
      (a === 172 && b! >= 16 && b! < 32) ||
      (a === 192 && b === 168) ||
      (a === 192 && b === 0 && (c === 0 || c === 2)) ||
      (a === 192 && b === 88 && c === 99) ||
      (a === 198 && (b === 18 || b === 19)) ||
      (a === 198 && b === 51 && c === 100) ||
      (a === 203 && b === 0 && c === 113);
    const first = fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224));
    const next = fc.oneof(fc.nat(255), fc.constantFrom(0, 16, 31, 51, 64, 88, 113, 127, 168, 254));
    fc.assert(
      fc.property(fc.tuple(first, next, next, fc.nat(255)), (bytes) => {
        expect(isPublic(bytes.join("."))).toBe(!isSpecial(bytes));
      }),
    );
  });
});

describe("a host", () => {
  test.each(["localhost", "127.0.0.1", "[::1]", "::1", "2130706433", "0x7f.1", "127.1"])(
    "%p is refused",
    async (host) => {
      await expect(addressOf(host, GUARDED)).rejects.toMatchObject({ code: expect.stringMatching(/^host_/) });
    },
  );

  test("that does not exist may exist later", async () => {
    await expect(addressOf("no-such-host.invalid", GUARDED)).rejects.toMatchObject({
      code: "host_unknown",
      retryable: true,
    });
  });

  test("on a private address is reached where that is allowed, under its own name, and redirects are not followed", async () => {
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (pathname === "/away") return Response.redirect("http://169.254.169.254/", 307);
        return Response.json({ host: request.headers.get("host"), path: pathname + search });
      },
    });
    const url = `http://localhost:${server.port}/a%20b/c?x=%2F`;
    const response = await guardedFetch(url, {}, { allowPrivate: true });
    expect(await response.json()).toEqual({ host: `localhost:${server.port}`, path: "/a%20b/c?x=%2F" });
    expect((await guardedFetch(`http://localhost:${server.port}/away`, {}, { allowPrivate: true })).status).toBe(307);
    await expect(guardedFetch(url, {}, GUARDED)).rejects.toMatchObject({ code: "host_not_allowed", retryable: false });
  });
});

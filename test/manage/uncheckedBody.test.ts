import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { parseBody, readText } from "../../src/manage/http/body.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const BOUND_BYTES = 64 * 1024;
const PATH = "/api/projects/1/insights/";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

/** The first line of the answer to a request of which only this much is ever sent. */
function answerTo(headers: string[], sent = "", url = server.url): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write(`POST ${PATH} HTTP/1.1\r\nHost: weir\r\n${headers.join("\r\n")}\r\n\r\n${sent}`);
    });
    socket.on("error", reject);
    socket.on("data", (data) => {
      resolve(data.toString().split("\r\n", 1)[0]!);
      socket.destroy();
    });
  });
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const bodyOf = (sizeBytes: number, key: string) => {
  const frame = JSON.stringify({ description: "", personal_api_key: key });
  return frame.replace('"description":""', `"description":"${" ".repeat(sizeBytes - frame.length)}"`);
};

describe("a body of somebody who is not known yet", () => {
  test("is read up to 64 KiB, and the key in it counts", async () => {
    const body = bodyOf(BOUND_BYTES, server.key);
    expect(Buffer.byteLength(body)).toBe(BOUND_BYTES);
    expect((await server.send("POST", PATH, { key: null, body })).status).toBe(201);
  });

  test("is 401 above that, even with a key in it or in the query string, and says what to do", async () => {
    const body = bodyOf(BOUND_BYTES + 1, server.key);
    for (const search of ["", `?personal_api_key=${server.key}`]) {
      const reply = await server.send("POST", PATH + search, { key: null, body });
      expect(reply.status).toBe(401);
      expect(reply.json).toMatchObject({ code: "not_authenticated" } as never);
      expect((reply.json as { detail: string }).detail).toContain("Authorization header");
    }
  });

  test("is not waited for where its length says that it is larger", async () => {
    expect(await answerTo([`Content-Length: ${BOUND_BYTES + 1}`])).toContain("401");
  });

  test("is read no further than that where it has no length", async () => {
    const sent = chunk(`{"description":"${"x".repeat(BOUND_BYTES)}`);
    expect(await answerTo(["Transfer-Encoding: chunked"], sent)).toContain("401");
  });

  test("is not looked at beside a wrong key in the header", async () => {
    const headers = ["Authorization: Bearer phx_bogus", "Content-Length: 1000"];
    expect(await answerTo(headers)).toContain("401");
  });

  test("may be as large as any other with a key in the header", async () => {
    const body = bodyOf(3_000_000, "ignored");
    expect((await server.send("POST", PATH, { body })).status).toBe(201);
  });

  test("has a bound of its own that is a setting", async () => {
    const other = await startManage({ uncheckedBodyMaxBytes: 100 });
    try {
      const send = (sizeBytes: number) =>
        other.send("POST", PATH, { key: null, body: bodyOf(sizeBytes, other.key).trim() });
      expect([(await send(100)).status, (await send(101)).status]).toEqual([201, 401]);
    } finally {
      await other.stop();
    }
  });
});

describe("a body that does not come", () => {
  test("is 408, with a key in the header and without one", async () => {
    const { url, key, stop } = await startManage({ uploadGraceMs: 100 });
    try {
      const begun = ["Content-Length: 100"];
      for (const headers of [begun, [...begun, `Authorization: Bearer ${key}`]]) {
        expect(await answerTo(headers, '{"name":', url)).toContain("408");
      }
    } finally {
      await stop();
    }
  });

  test("is no failure of this service where the client breaks it off", async () => {
    const begun = Promise.withResolvers<void>();
    const read = Promise.withResolvers<unknown>();
    const pace = { uploadMinBytesPerSecond: 0, uploadGraceMs: 0 };
    const one = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        begun.resolve();
        await readText(request, BOUND_BYTES, pace).then(read.resolve, read.resolve);
        return new Response();
      },
    });
    const socket = connect(one.port!, "127.0.0.1");
    socket.write('POST / HTTP/1.1\r\nHost: weir\r\nContent-Length: 100\r\n\r\n{"name":');
    await begun.promise;
    socket.destroy();
    expect(await read.promise).toMatchObject({ status: 408, code: "request_aborted" });
    await one.stop(true);
  });
});

describe("how deep a body is", () => {
  const read = (text: string) => parseBody(text, { maxDepth: 3 });

  test("is seen before anything is parsed, and brackets in texts do not count", () => {
    expect(read('{"a":{"b":[1,"[[[[",2]}}')).toEqual({ a: { b: [1, "[[[[", 2] } });
    expect(read('{"a\\"[[":"\\\\","b":[[]]}')).toEqual({ 'a"[[': "\\", b: [[]] });
    for (const text of ['{"a":[[[]]]}', '{"a":{"b":{"c":{}}}}', "[[[[", '{"a":"\\"","b":[[[1]]]}']) {
      expect(() => read(text)).toThrow("nested deeper than 3 levels");
    }
  });
});

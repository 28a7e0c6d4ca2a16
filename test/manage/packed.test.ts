import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";
import { type Browser, setUp } from "./browser.ts";

let server: ManageServer;
let browser: Browser;
beforeAll(async () => {
  server = await startManage();
  browser = await setUp(server);
});
afterAll(() => server.stop());

const PROJECT = "/api/environments/1/";

/** The encoding of an answer, and the answer itself. */
async function asked(path: string, headers: Record<string, string>): Promise<[string | null, unknown]> {
  const response = await fetch(server.url + path, { headers, decompress: false });
  const encoding = response.headers.get("content-encoding");
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(encoding === "gzip" ? Bun.gunzipSync(bytes) : bytes);
  expect([path, response.status]).toEqual([path, 200]);
  return [encoding, JSON.parse(text)];
}

const session = () => ({
  "Sec-Fetch-Site": "same-origin",
  Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
});

test("a browser gets its answers packed where it takes that, and they are large", async () => {
  const [, plain] = await asked(PROJECT, { ...session(), "Accept-Encoding": "identity" });
  for (const [accepted, encoding] of [
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["br;q=1, GZIP;q=0.5", "gzip"],
    ["gzip;q=0, br", null],
    ["br", null],
    ["identity", null],
  ] as const) {
    const answer = await asked(PROJECT, { ...session(), "Accept-Encoding": accepted });
    expect([accepted, ...answer]).toEqual([accepted, encoding, plain]);
  }
  const [encoding] = await asked("/api/users/@me/sessions/", { ...session(), "Accept-Encoding": "gzip" });
  expect(encoding).toBeNull();
});

test("a link's visitor does too, and a program does not", async () => {
  const gzip = { "Accept-Encoding": "gzip" };
  const dashboard = (await server.send("POST", `${PROJECT}dashboards/`, { body: { name: "d" } })).json as {
    id: number;
  };
  const description = "long ".repeat(400);
  await server.send("PATCH", `${PROJECT}dashboards/${dashboard.id}/`, { body: { description } });
  const sharing = `${PROJECT}dashboards/${dashboard.id}/sharing/`;
  const { access_token: token } = (await server.send("PATCH", sharing, { body: { enabled: true } })).json as {
    access_token: string;
  };
  expect(await asked(`/shared/${token}.json`, gzip)).toEqual(["gzip", expect.objectContaining({ type: "dashboard" })]);
  const [encoding] = await asked(PROJECT, { ...gzip, Authorization: `Bearer ${server.key}` });
  expect(encoding).toBeNull();
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";

test("answers of front and api name their request, and so do the lines of the log about it", async () => {
  await using weir = await startWeir({ env: { WEIR_LOG: "json" } });
  const idOf = async (path: string, given?: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${weir.personalKey}`, ...(given && { "X-Request-Id": given }) };
    const answer = await fetch(weir.url + path, { ...init, headers });
    await answer.arrayBuffer();
    return answer.headers.get("x-request-id");
  };
  const linesAbout = (id: string) =>
    weir.output.split("\n").filter((line) => line.startsWith("{") && JSON.parse(line).request_id === id);

  const good = { method: "POST", body: JSON.stringify({ api_key: weir.projectKey, event: "e", distinct_id: "d" }) };
  const paths: [string, RequestInit?][] = [
    ["/capture/", good],
    ["/capture/", { method: "POST", body: "?" }],
  ];
  paths.push(["/_readiness"], ["/flags/"], ["/api/users/@me/"], ["/api/nothing/"], ["/"], ["/login"]);
  for (const [path, init] of paths) {
    expect(await idOf(path, "from-a.proxy:1_2", init)).toBe("from-a.proxy:1_2");
    const made = await idOf(path, undefined, init);
    expect(made).toMatch(/^[\w-]{10,40}$/);
    expect(await idOf(path, undefined, init)).not.toBe(made);
    // What is no short token reaches neither a log nor an answer.
    for (const bad of ["a b", 'x"y', "é", "x".repeat(65)])
      expect(await idOf(path, bad, init)).toMatch(/^[\w-]{10,40}$/);
  }

  const page = await (await fetch(`${weir.url}/login`)).text();
  const [, file] = /src="([^"]+\.js)"/.exec(page)!;
  expect(await idOf(file!)).toBeNull();

  using db = new Database(join(weir.dataDir, "weir.db"));
  // Weir writes to it all the time.
  db.run("pragma busy_timeout = 60000");
  db.run("alter table annotations rename to taken_away");
  expect(await idOf("/api/projects/1/annotations/", "of-the-api")).toBe("of-the-api");
  db.run("alter table taken_away rename to annotations");
  await until("the line of the api process", HANG_MS, () => linesAbout("of-the-api").length > 0);
  expect(JSON.parse(linesAbout("of-the-api")[0]!)).toMatchObject({ role: "api" });

  process.kill(weir.pidOf("api"), "SIGSTOP");
  const asked = idOf("/api/users/@me/", "of-the-front");
  // The front has handed it on before it answers what came later.
  await weir.status("/_liveness");
  weir.kill9("api");
  expect(await asked).toBe("of-the-front");
  await until("the line of the front", HANG_MS, () => linesAbout("of-the-front").length > 0);
  expect(JSON.parse(linesAbout("of-the-front")[0]!)).toMatchObject({ role: "front" });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { differences, type Json, MANAGEMENT_RULES, QUERY_RULES } from "./match.ts";

const RUN = join(import.meta.dir, "run.ts");

describe("the runner", () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-conformance-"));
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(() => {
    let projects = 0;
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        const { pathname, search, origin } = new URL(request.url);
        if (pathname === "/list/") {
          const next =
            search === "" ? `${origin}/list/?before=${encodeURIComponent("2026-01-31T10:00:00+01:00")}` : null;
          return Response.json({ next, search });
        }
        if (pathname === "/api/projects/") {
          return Response.json({ id: ++projects, api_token: `phc_${projects}` }, { status: 201 });
        }
        return new Response("no", { status: pathname.startsWith("/refused") ? 400 : 200 });
      },
    });
  });
  afterAll(() => {
    server.stop(true);
    rmSync(folder, { recursive: true });
  });

  async function runSuite(
    suite: string,
    cases: object[],
    ...more: string[]
  ): Promise<{ code: number; output: string }> {
    const file = join(folder, "cases.json");
    await Bun.write(file, JSON.stringify(cases));
    const base = `http://127.0.0.1:${server.port}`;
    const child = Bun.spawn([process.execPath, RUN, "--base", base, "--suite", suite, "--cases", file, ...more], {
      env: { ...process.env, WEIR_PERSONAL_API_KEY: "phx_any" },
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = await new Response(child.stdout).text();
    return { code: await child.exited, output };
  }

  const run = (cases: object[], ...more: string[]) => runSuite("capture", cases, ...more);
  const caseOf = (name: string, path: string, status: number) => ({
    name,
    request: { method: "POST", path, body: { n: 1 } },
    expect: { status },
  });
  const good = caseOf("good", "/fine", 200);
  const bad = caseOf("bad", "/refused", 200);

  test("says what failed and where, and fails when a case does", async () => {
    const json = join(folder, "results.json");
    const { code, output } = await run([good, bad, caseOf("refused", "/refused", 400)], "--json", json);
    expect(code).toBe(1);
    expect(output.trimEnd().split("\n")).toEqual([
      "FAILED bad",
      "  status",
      "    expected 200",
      '    got      "400 no"',
      "2 passed, 1 failed, 0 skipped",
    ]);
    const results = (await Bun.file(json).json()) as { name: string; outcome: string }[];
    expect(results.map(({ name, outcome }) => [name, outcome])).toEqual([
      ["good", "passed"],
      ["bad", "failed"],
      ["refused", "passed"],
    ]);
  });

  test("succeeds when all pass, on the cases asked for; no case at all is a failure", async () => {
    expect(await run([good, bad], "--only", "^go")).toEqual({ code: 0, output: "1 passed, 0 failed, 0 skipped\n" });
    expect((await run([good, bad], "--only", "neither")).code).toBe(1);
  });

  test("follows an absolute link that a step has saved, as it stands", async () => {
    const steps = [
      { method: "GET", path: "/list/", expect: { status: 200 }, save: { next_page: "next" } },
      {
        method: "GET",
        path: "{next_page}",
        expect: { status: 200, json: { next: null, search: "?before=2026-01-31T10%3A00%3A00%2B01%3A00" } },
      },
      {
        method: "GET",
        path: "{next_page}&limit=1",
        expect: { status: 200, json: { search: { $regex: "&limit=1$" } } },
      },
    ];
    const answer = await runSuite("management", [{ name: "pages", steps }]);
    expect(answer).toEqual({ code: 0, output: "1 passed, 0 failed, 0 skipped\n" });
  });

  test("takes the key to no other host", async () => {
    const elsewhere = { method: "GET", path: "http://example.com/{project_id}", expect: { status: 200 } };
    const { code, output } = await runSuite("management", [{ name: "elsewhere", steps: [elsewhere] }]);
    expect(code).toBe(1);
    expect(output).toMatch(/http:\/\/example\.com\/\d+ is not of/);
  });
});

describe("comparing", () => {
  const fitsManagement = (expected: Json, got: Json) => differences(expected, got, "", MANAGEMENT_RULES).length === 0;
  const fitsQuery = (expected: Json, got: Json) => differences(expected, got, "", QUERY_RULES).length === 0;

  test.each<[Json, Json, boolean]>([
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { a: "1" }, false],
    [{ a: null }, {}, false],
    [[{ a: 1 }], [{ a: 1, b: 1 }, 2], true],
    [[1, 2], [1], false],
    [{ $regex: "^a" }, "abc", true],
    [{ $regex: "^a" }, 5, false],
    [{ $gt: 5 }, 6, true],
    [{ $gt: "2026-01-01" }, "2026-01-01", false],
    [{ $gte: 1 }, 1, true],
    [{ $gt: 1 }, "2", false],
    [{ $ne: 1 }, 2, true],
    [{ $eq: { a: 1 } }, { a: 1, b: 2 }, false],
    [{ $set: [1, 2] }, [2, 1], true],
    [{ $set: [1, 2] }, [1, 2, 2], false],
    [{ $len: 2 }, [1, 2], true],
    [{ $type: "array" }, [], true],
    [{ $type: "object" }, null, false],
    [{ $all: { a: 1 } }, [{ a: 1 }, { a: 1, b: 2 }], true],
    [{ $all: { a: 1 } }, [{ a: 1 }, { a: 2 }], false],
    [{ $contains: { a: 2 } }, [{ a: 1 }, { a: 2 }], true],
    [{ $sorted: "t" }, [{ t: 1 }, { t: 1 }, { t: 2 }], true],
    [{ $sorted: "-t" }, [{ t: 1 }, { t: 2 }], false],
    [{ $keys_exact: ["a", "b"] }, { b: 1, a: 2 }, true],
    [{ $keys_exact: ["a"] }, [{ a: 1, b: 2 }], false],
  ])("management: %j and %j: %p", (expected, got, fits) => expect(fitsManagement(expected, got)).toBe(fits));

  test.each<[Json, Json, boolean]>([
    [{ a: null }, {}, true],
    [true, 1, true],
    [0, false, true],
    [0.1, 0.1 + 1e-12, true],
    [1, 1.001, false],
    [[1, 2], [1, 2, 3], false],
    [[{ a: 1 }], [{ a: 1 }, { a: 2 }], true],
    [[], [1], false],
    [[[{ a: 1 }]], [[{ a: 1, b: 1 }]], true],
    ["1", 1, false],
  ])("query: %j and %j: %p", (expected, got, fits) => expect(fitsQuery(expected, got)).toBe(fits));
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatBrowser } from "../../src/web/app/format/browser.ts";
import { nextOf } from "../../src/web/app/pages/login/next.ts";
import { snippetsFor } from "../../src/web/app/pages/parts/start/snippets.ts";
import { target } from "../../src/web/app/ui/optionMoves.ts";
import { rangeAt, topsOf } from "../../src/web/app/ui/rowRange.ts";
import { sortRows } from "../../src/web/app/ui/sortRows.ts";

describe("where a login leads", () => {
  test("is the address that was asked for", () => {
    const address = '/project/1/insights/new?a=b#q={"kind":1}';
    expect(nextOf(`?next=${encodeURIComponent(address)}`)).toBe(address);
    expect(nextOf("")).toBe("/");
  });

  test("is never another host", () => {
    const parts = fc.constantFrom(
      "/",
      "\\",
      "//",
      "evil.example",
      "@",
      ":",
      "https:",
      "javascript:",
      "\t",
      "\n",
      "%2f",
      ".",
      "a",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (list) => {
        const next = nextOf(`?${new URLSearchParams({ next: list.join("") })}`);
        expect(next.startsWith("/")).toBe(true);
        expect(new URL(next, "https://weir.example/login").origin).toBe("https://weir.example");
      }),
    );
    for (const next of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "/\t/evil.example",
      "/login?next=/",
    ]) {
      expect(nextOf(`?${new URLSearchParams({ next })}`)).toBe("/");
    }
  });
});

test("snippets have the key and the address, and no placeholder", () => {
  const snippets = snippetsFor({ host: "https://weir.example", key: "phc_key" });
  expect(snippets.map(({ key }) => key)).toEqual(["html", "npm", "node", "python", "go", "curl"]);
  for (const { code } of snippets) {
    expect(code).toContain("https://weir.example");
    expect(code).toContain("phc_key");
    expect(code).not.toMatch(/<ph_|<your|undefined/i);
  }
});

test("browsers are named by what they are", () => {
  const named: Record<string, string> = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0":
      "Edge on Windows",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36":
      "Chrome on Android",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1":
      "Safari on iPhone",
    "curl/8.14.1": "curl/8.14.1",
    "": "Unknown browser",
  };
  for (const [agent, name] of Object.entries(named)) expect(formatBrowser(agent)).toBe(name);
});

test("keys move to options that are there", () => {
  const keys = fc.array(fc.constantFrom("ArrowDown", "ArrowUp", "PageDown", "PageUp"), { maxLength: 30 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), keys, (count, pressed) => {
      let active = -1;
      for (const key of pressed) {
        active = target(key, active, count)!;
        expect(active).toBeGreaterThanOrEqual(0);
        expect(active).toBeLessThan(count);
      }
    }),
  );
  expect(target("ArrowDown", 4, 5)).toBe(0);
  expect(target("ArrowUp", 0, 5)).toBe(4);
  expect(target("PageDown", 2, 5)).toBe(4);
  expect(target("Home", 2, 5)).toBeNull();
});

test("the rows in sight are those that have a part there", () => {
  const heights = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 60 });
  fc.assert(
    fc.property(
      heights,
      fc.integer({ min: -100, max: 2_000 }),
      fc.integer({ min: 1, max: 500 }),
      (sizes, start, height) => {
        const tops = topsOf(sizes.length, (index) => sizes[index]!);
        const { from, to } = rangeAt(tops, start, start + height);
        const seen = sizes.map((size, index) => tops[index]! < start + height && tops[index]! + size > start);
        expect(seen.map((_, index) => index >= from && index < to)).toEqual(seen);
      },
    ),
  );
});

test("rows are sorted, equal ones stay as they were, and null comes last", () => {
  const row = fc.record({ value: fc.option(fc.integer({ min: 0, max: 5 })), at: fc.nat() });
  const columns = [{ key: "value", sortBy: ({ value }: { value: number | null; at: number }) => value }];
  fc.assert(
    fc.property(fc.array(row), fc.boolean(), (rows, isDown) => {
      const numbered = rows.map((one, at) => ({ ...one, at }));
      const sorted = sortRows(numbered, columns, { column: "value", isDown });
      expect(sorted.toSorted((a, b) => a.at - b.at)).toEqual(numbered);
      for (const [index, after] of sorted.entries()) {
        const before = sorted[index - 1];
        if (before === undefined) continue;
        if (before.value === null) expect(after.value).toBeNull();
        else if (after.value !== null)
          expect(isDown ? before.value >= after.value : before.value <= after.value).toBe(true);
        if (before.value === after.value) expect(before.at).toBeLessThan(after.at);
      }
    }),
  );
});

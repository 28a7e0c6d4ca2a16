import { describe, expect, test } from "bun:test";
import { KeptReads } from "../../src/lake/walking/keptReads.ts";

/** Reads as many bytes as are said, and counts how often. */
function reading(o: ConstructorParameters<typeof KeptReads>[0]) {
  const kept = new KeptReads<{ sizeBytes: number }>(o);
  let reads = 0;
  const ask = async (key: string, file = "a", sizeBytes: number | null = 10) => {
    const before = reads;
    const read = await kept.of(key, [file], async () => {
      reads++;
      return sizeBytes === null ? null : { sizeBytes };
    });
    return { isKnown: read !== null, wasRead: reads > before };
  };
  return ask;
}

const [NOT, READ, KEPT] = [
  { isKnown: false, wasRead: false },
  { isKnown: true, wasRead: true },
  { isKnown: true, wasRead: false },
];

describe("what walks keep of files", () => {
  test("is read at once, or when it was asked for before", async () => {
    const atOnce = reading({ mostBytes: 100, asksBeforeKept: 0 });
    expect([await atOnce("x"), await atOnce("x")]).toEqual([READ, KEPT]);
    const later = reading({ mostBytes: 100, asksBeforeKept: 1 });
    expect([await later("x"), await later("x"), await later("x")]).toEqual([NOT, READ, KEPT]);
  });

  test("is of these files alone", async () => {
    const ask = reading({ mostBytes: 100, asksBeforeKept: 0 });
    expect([await ask("x", "a"), await ask("x", "b"), await ask("x", "a")]).toEqual([READ, READ, KEPT]);
  });

  test("goes where there is no room, the longest unused first", async () => {
    const ask = reading({ mostBytes: 20, asksBeforeKept: 0 });
    for (const key of ["x", "y", "x", "z"]) await ask(key);
    expect([await ask("x"), await ask("z"), await ask("y")]).toEqual([KEPT, KEPT, READ]);
  });

  test("is not asked for again where it is too large, or not to be kept", async () => {
    const ask = reading({ mostBytes: 20, asksBeforeKept: 0 });
    expect([await ask("x", "a", 21), await ask("x")]).toEqual([READ, NOT]);
    expect([await ask("y", "a", null), await ask("y")]).toEqual([{ isKnown: false, wasRead: true }, NOT]);
  });
});

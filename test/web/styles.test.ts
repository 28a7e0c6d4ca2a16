import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

const APP = new URL("../../src/web/app", import.meta.url).pathname;

/** Names that uPlot gives to its own elements, and values that the calendar (cally) reads. */
const OF_LIBRARIES = /^u-|^--color-/;

async function textOf(pattern: string): Promise<string> {
  const texts: string[] = [];
  for await (const path of new Glob(pattern).scan({ cwd: APP })) texts.push(await Bun.file(join(APP, path)).text());
  return texts.join("\n");
}

const css = (await textOf("**/*.css")).replace(/\/\*[\s\S]*?\*\//g, "");
const code = (await textOf("**/*.{ts,tsx}")).replace(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "");

/** What stands before a block: selectors and at-rules. */
const selectors = [...css.matchAll(/[^{};]+(?=\{)/g)].map(([text]) => text).join("\n");
const classes = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!));

/** The words in the texts of the code, and the beginnings of those that a value ends: `level-${level}`. */
const literals = [...code.matchAll(/"[^"\n]*"|`[^`\n]*`/g)].map(([text]) => text.slice(1, -1));
const words = new Set(literals.flatMap((text) => text.split(/[^\w-]+/)));
const beginnings = literals.flatMap((text) => [...text.matchAll(/([\w-]+-)\$\{/g)].map(([, begin]) => begin!));

const isUsed = (name: string): boolean =>
  words.has(name) || OF_LIBRARIES.test(name) || beginnings.some((begin) => name.startsWith(begin));

describe("styles", () => {
  test("have no class that no element has", () => {
    expect(classes.size).toBeGreaterThan(100);
    expect([...classes].filter((name) => !isUsed(name)).sort()).toEqual([]);
  });

  test("have a rule for every class that is written in an element", () => {
    const written = [...code.matchAll(/\bclass="([^"]*)"/g)].flatMap(([, names]) => names!.split(/\s+/));
    expect([...new Set(written)].filter((name) => name !== "" && !classes.has(name)).sort()).toEqual([]);
  });

  test("define what they use, and use what they define", () => {
    const defined = new Set([...css.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name!));
    const inCode = new Set([...code.matchAll(/(--[\w-]*\w)/g)].map(([, name]) => name!));
    const starts = [...code.matchAll(/(--[\w-]+-)\$\{/g)].map(([, start]) => start!);
    const used = new Set([...css.matchAll(/var\(\s*(--[\w-]+)/g)].map(([, name]) => name!));
    const isReached = (name: string) =>
      used.has(name) || inCode.has(name) || OF_LIBRARIES.test(name) || starts.some((start) => name.startsWith(start));
    expect([...defined].filter((name) => !isReached(name)).sort()).toEqual([]);
    expect([...used].filter((name) => !defined.has(name) && !inCode.has(name)).sort()).toEqual([]);
  });
});

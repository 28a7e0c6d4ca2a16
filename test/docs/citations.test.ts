import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { files, isThere, linksOf, pages, read } from "./markdown.ts";

/** Files whose comments may cite a rule or a page. */
const SOURCES = ["src/**/*.ts", "src/**/*.as", "actors/**/*.ts", "test/**/*.ts", "scripts/**/*.ts"];
const sources = files(...SOURCES);

/** The numbers of the rules of a page: its paragraphs that begin with `**N.`. */
const rulesOf = (page: string): Set<number> =>
  new Set(Array.from(read(page).matchAll(/^\*\*(\d+)\. /gm), ([, number]) => Number(number)));

/** `guarantee 10 of README.md`. */
const GUARANTEE = /\bguarantee (\d+) of README\.md/g;

/** `protocol rule 9`, `protocol rules 2, 7, 9 and 18-20`, and over a line break of a comment. */
const CITED = /\b(protocol|engine)(?:\s|\*)+rules?(?:\s|\*)+(\d+(?:(?:,\s*|-|\s+and\s+|\s+to\s+)\d+)*)/g;

function citedRules(text: string): { page: string; rule: number }[] {
  return [...text.matchAll(CITED)].flatMap(([, page, list]) =>
    list!.split(/,\s*|\s+and\s+/).flatMap((part) => {
      const [from, to = from] = part.split(/-|\s+to\s+/).map(Number) as [number, number?];
      return Array.from({ length: to - from + 1 }, (_, i) => ({ page: `docs/${page}.md`, rule: from + i }));
    }),
  );
}

test("every rule that a comment or a page cites is in docs/protocol.md or docs/engine.md", () => {
  const rules = new Map(["docs/protocol.md", "docs/engine.md"].map((page) => [page, rulesOf(page)]));
  const wrong = [...sources, ...pages()].flatMap((file) =>
    citedRules(read(file))
      .filter(({ page, rule }) => !rules.get(page)!.has(rule))
      .map(({ page, rule }) => `${file} cites rule ${rule} of ${page}`),
  );
  expect(wrong).toEqual([]);
  expect(citedRules("protocol rules 2, 7 and 18-20").map(({ rule }) => rule)).toEqual([2, 7, 18, 19, 20]);
});

test("every guarantee that a comment cites is in README.md", () => {
  const guarantees = new Set(Array.from(read("README.md").matchAll(/^(\d+)\. \*\*/gm), ([, number]) => number));
  expect(guarantees.size).toBeGreaterThan(5);
  const cited = sources.flatMap((file) =>
    Array.from(read(file).matchAll(GUARANTEE), ([, number]) => ({ file, number })),
  );
  expect(cited.filter(({ number }) => !guarantees.has(number))).toEqual([]);
});

test("every guarantee of README.md names a test that proves it", () => {
  const [, list] = /## Guarantees[^\n]*\n([\s\S]*?)\n## /.exec(read("README.md"))!;
  const guarantees = list!.split(/^(?=\d+\. )/m).filter((text) => /^\d/.test(text));
  expect(guarantees.length).toBeGreaterThan(5);
  expect(guarantees.filter((text) => !text.includes("](test/"))).toEqual([]);
});

test("every page of docs can be reached from README.md", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    if (!page.endsWith(".md")) continue;
    for (const link of linksOf(page)) reached.add(normalize(join(dirname(page), link.split("#")[0]!)));
  }
  expect(pages().filter((page) => page.startsWith("docs/") && !reached.has(page))).toEqual([]);
});

test("every page of docs that a comment cites is there, with the section", () => {
  const cited = sources.flatMap((file) =>
    Array.from(read(file).matchAll(/\bdocs\/[\w/.-]+\.md(?:#[\w-]+)?/g), ([target]) => ({ file, target })),
  );
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ target }) => !isThere(target)).map(({ file, target }) => `${file} cites ${target}`)).toEqual(
    [],
  );
});

test("no comment cites a document that is not in the repository", () => {
  const cites = /\breference(?:\s|\*)*(?:§|:\s*(?:capture|quer))|§\s*\d|\(invariant \d|\bdesign:/;
  expect([...sources, ...pages()].filter((file) => !file.startsWith("test/docs/") && cites.test(read(file)))).toEqual(
    [],
  );
});

test("every link of every page leads somewhere", () => {
  const broken = pages().flatMap((page) =>
    linksOf(page)
      .map((link) => (link.startsWith("#") ? `${page}${link}` : normalize(join(dirname(page), link))))
      .filter((target) => !isThere(target))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

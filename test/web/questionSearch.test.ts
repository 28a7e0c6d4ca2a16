import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { eventLabel, propertyLabel } from "../../src/web/app/question/names.ts";
import { type Findable, find, fold, score } from "../../src/web/app/question/search.ts";
import { eventWords, propertyWords } from "../../src/web/app/question/searchWords.ts";

const word = fc.oneof(
  fc.constantFrom(
    "click",
    "sign",
    "up",
    "url",
    "$current_url",
    "signedUp",
    "page-view",
    "Éa",
    "ß",
    "ﬁ",
    "名",
    "İ",
    "a",
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(" "));
const item: fc.Arbitrary<Findable> = fc.record({
  label: text,
  key: text,
  words: text,
  weight: fc.nat({ max: 3 }),
});
const items = fc.array(item, { maxLength: 12 });
const runs = { numRuns: 300 };

describe("what is found", () => {
  test("is among the items, each once, and all where nothing was typed", () => {
    fc.assert(
      fc.property(items, text, (all, typed) => {
        const found = find(all, typed);
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((one) => all.includes(one))).toBe(true);
        expect(find(all, "  ")).toEqual(all);
      }),
      runs,
    );
  });

  test("does not depend on the order of words, case and accents", () => {
    fc.assert(
      fc.property(items, fc.array(word, { maxLength: 3 }), (all, words) => {
        const found = new Set(find(all, words.join(" ")));
        expect(new Set(find(all, words.toReversed().join(" ")))).toEqual(found);
        // Only letters that come back from upper case.
        const upper = words.join(" ").toUpperCase();
        if (fold(upper) === fold(words.join(" "))) expect(new Set(find(all, upper))).toEqual(found);
      }),
      runs,
    );
  });

  test("becomes less with each word and each letter", () => {
    fc.assert(
      fc.property(items, text, word, (all, typed, more) => {
        const before = new Set(find(all, typed));
        for (const one of find(all, `${typed} ${more}`)) expect(before.has(one)).toBe(true);
        // A letter that joins with the one before it makes another letter of it.
        if (fold(typed + more).startsWith(fold(typed))) {
          for (const one of find(all, typed + more)) expect(before.has(one)).toBe(true);
        }
      }),
      runs,
    );
  });

  test("has every word that was typed, and comes by its score", () => {
    fc.assert(
      fc.property(items, text, (all, typed) => {
        const found = find(all, typed);
        const words = fold(typed).split(/\s+/).filter(Boolean);
        for (const { label, key, words: more = "" } of found) {
          const whole = `${fold(label)} ${fold(key)} ${fold(more)} ${fold(parted(label))} ${fold(parted(key))}`;
          for (const one of words) expect(squeezed(whole)).toContain(squeezed(one));
        }
        const scores = found.map((one) => score(one, typed));
        if (words.length > 0) expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      }),
      runs,
    );
  });

  const squeezed = (one: string) => one.replace(/[^\p{L}\p{N}]/gu, "");
  const parted = (one: string) => one.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
});

const event = (key: string, weight = 0): Findable => ({ key, label: eventLabel(key), words: eventWords(key), weight });
const property = (key: string): Findable => ({ key, label: propertyLabel(key), words: propertyWords(key) });
const keys = (found: readonly Findable[]) => found.map(({ key }) => key);

describe("what people type", () => {
  test("begins of names come before words within, then what is meant, then parts", () => {
    const all = [event("unclicked"), event("$autocapture", 900), event("button click"), event("clicked")];
    expect(keys(find(all, "click"))).toEqual(["clicked", "button click", "$autocapture", "unclicked"]);
  });

  test("the more frequent one comes first", () => {
    const all = [event("sign out", 3), event("sign up", 10), event("sign in", 5)];
    expect(keys(find(all, "sign"))).toEqual(["sign up", "sign in", "sign out"]);
  });

  test.each([
    ["url", "$current_url"],
    ["page url", "$current_url"],
    ["current_url", "$current_url"],
    ["$current", "$current_url"],
    ["EMAIL", "email"],
    ["country", "$geoip_country_name"],
    ["mobile", "$device_type"],
    ["windows", "$os"],
  ])("%p means the property %p", (typed, key) => {
    const all = ["$lib", "plan", "$current_url", "email", "$geoip_country_name", "$device_type", "$os"].map(property);
    expect(keys(find(all, typed))[0]).toBe(key);
  });

  test("the parts of a name are words: camelCase, snake_case, dashes", () => {
    const all = [event("userSignedUp"), event("user_signed_up"), event("user-signed-up"), event("USERSIGNEDUP")];
    expect(keys(find(all, "up signed"))).toContain("userSignedUp");
    expect(find(all, "up signed")).toHaveLength(4);
  });
});

test("a name of which nothing can be seen stands in quotes", () => {
  for (const name of [" ", "\t\n", "\u00a0", "\u200b\u2060"]) {
    expect([eventLabel(name), propertyLabel(name)]).toEqual([`“${name}”`, `“${name}”`]);
  }
  for (const name of ["", " a "]) expect([eventLabel(name), propertyLabel(name)]).toEqual([name, name]);
});

test("names of strangers are no members of a table", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(eventLabel(name)).toBe(name);
    expect(propertyLabel(name)).toBe(name);
    expect(propertyLabel(name, "session")).toBe(name);
    expect(propertyWords(name, name)).toBe("");
  }
});

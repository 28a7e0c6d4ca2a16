import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { normaliseEvent } from "../../src/capture/event/normalise.ts";
import { fastOutline, isJson } from "../../src/capture/outline/fastScan.ts";
import { Members } from "../../src/capture/outline/outline.ts";
import { outline } from "../../src/capture/outline/scan.ts";
import type { JsonObject, OutgoingEvent } from "../../src/types/mod.ts";
import { BLANKS, DOCUMENT, TEXT, TRICKY, writtenString } from "./documents.ts";
import { expectFastSame } from "./sameOutline.ts";
import { contextOf, written } from "./support.ts";

describe("the scanner", () => {
  const event = (i: number) =>
    `{"event":"é😀","distinct_id":"${i}","properties":{"$browser": "a\\n€","utm_source":[{"$ip":1}],"$ip":-1.5e+3 , "x":[]}}`;
  test("takes what SDKs send", () => {
    for (const text of [
      "[]",
      " { } ",
      event(1),
      `[${event(1)},7,null,true,[],{},"",${event(2)}]`,
      `{"api_key":"x","batch":[${Array.from({ length: 500 }, (_, i) => event(i)).join(",\n")}],"sent_at":false}`,
    ]) {
      expect([text, expectFastSame(text)]).toEqual([text, true]);
    }
  });

  test("never takes what is no JSON, and finds the same in what it takes", () => {
    const noise = fc.constantFrom(
      "",
      ...TRICKY,
      "0",
      "-",
      ".",
      "e",
      "\\u",
      "\\x",
      "\n",
      "\0",
      "\u001f",
      "tru",
      "null",
      "\ufeff",
    );
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof(DOCUMENT, fc.constant(`[${event(0)},1]`)),
        fc.nat(),
        fc.nat(3),
        noise,
        (text, at, cut, inserted) => {
          const place = at % (text.length + 1);
          const mutated = text.slice(0, place) + inserted + text.slice(place + cut);
          // Throws when it is no JSON.
          if (mutated.isWellFormed() && expectFastSame(mutated)) taken++;
        },
      ),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test("knows JSON from what is none, in whatever way it is written", () => {
    const noise = fc.constantFrom(
      "",
      ...TRICKY,
      "0",
      "-",
      ".",
      "e",
      "\\u",
      "\\u0061",
      "\n",
      "\0",
      "tru",
      "null",
      "\ufeff",
      '"',
    );
    let known = 0;
    fc.assert(
      fc.property(fc.oneof(DOCUMENT, fc.json()), fc.nat(), fc.nat(3), noise, (text, at, cut, inserted) => {
        const place = at % (text.length + 1);
        const mutated = (text.slice(0, place) + inserted + text.slice(place + cut)).toWellFormed();
        if (/[[{]{100}/.test(mutated)) return;
        const expected = parses(mutated);
        expect([mutated, isJson(Buffer.from(mutated), 200)]).toEqual([mutated, expected]);
        if (expected) known++;
      }),
      { numRuns: 5000 },
    );
    expect(known).toBeGreaterThan(500);
    expect(isJson(Buffer.from(`${"[".repeat(200)}${"]".repeat(200)}`), 200)).toBe(true);
    expect(isJson(Buffer.from(`${"[".repeat(201)}${"]".repeat(201)}`), 200)).toBe(false);
  });

  test("takes numbers, words and escapes as JSON has them", () => {
    const piece = fc.constantFrom(
      "0",
      "1",
      "-",
      "+",
      ".",
      "e",
      "E",
      "true",
      "false",
      "null",
      " ",
      "\t",
      "nul",
      '"',
      "\\",
      "u00e",
      "/",
      "b",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        expectFastSame(`[${pieces.join("")}]`);
        expectFastSame(`["${pieces.join("")}"]`);
      }),
      { numRuns: 5000 },
    );
    for (const value of [
      "0",
      "-0",
      "10",
      "-1.50",
      "1e5",
      "1E-05",
      "0.1e+2",
      "true",
      "false",
      "null",
      '"\\u00eF\\/\\b"',
    ]) {
      expect([value, expectFastSame(`[${value}]`)]).toEqual([value, true]);
    }
  });

  test("makes no other event of a body than the slow way", () => {
    const keys = fc.constantFrom("$ip", "$set", "$set_once", "$session_id", "$elements", "$sent_at", "token", "other");
    const values = fc.constantFrom(
      '"a"',
      "1.10",
      "null",
      '[ "$b",\n"$c" ]',
      '{"$os" : 1}',
      '"x,"',
      '"\\\\"',
      '"é"',
      '",\\"$os\\":1"',
    );
    const pairs = fc.array(fc.tuple(keys, values, BLANKS), { maxLength: 8 });
    const events = fc.array(
      pairs.map((all) => all.map(([k, v, blank]) => `"${k}"${blank}:${v}`).join(",")),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(events, (all) => {
        const text = `[${all.map((properties) => `{"event":"e","distinct_id":"d","properties":{${properties}}}`).join(",")}]`;
        const fast = fastOutline(Buffer.from(text), 200);
        if (fast === null) return;
        const accepted = [fast, outline(Buffer.from(text), 200)].map((body) => {
          const event = new Members();
          return all.map((_, i) => {
            event.toItem(body, i);
            const { properties } = written([normaliseEvent(event, contextOf()) as OutgoingEvent])[0]!;
            expect(properties).not.toMatch(/[\n\r\t]/);
            return JSON.parse(properties) as JsonObject;
          });
        });
        expect(accepted[0]).toEqual(accepted[1]!);
      }),
      { numRuns: 2000 },
    );
  });

  test("knows plain texts and uuids", () => {
    const uuid = fc.uuid().chain((text) =>
      fc
        .tuple(fc.nat(36), fc.constantFrom("", "-", "g", "A", "0", "f", "é", "\\\\", "/", ":", "`"))
        .map(([at, other]) => {
          return other === "" ? text : text.slice(0, at) + other + text.slice(at + 1);
        }),
    );
    fc.assert(
      fc.property(uuid, TEXT.chain(writtenString), (id, text) => {
        expectFastSame(`[{"uuid":"${id}","event":${text},"properties":{"$session_id" :"${id}","alias":${text}}}]`);
      }),
      { numRuns: 2000 },
    );
  });

  test("leaves deep nesting to the slow way", () => {
    const nested = (depth: number) => Buffer.from("[".repeat(depth) + "]".repeat(depth));
    expect(fastOutline(nested(200), 200)).not.toBeNull();
    expect(fastOutline(nested(201), 200)).toBeNull();
    expect(fastOutline(nested(1_000_000), 200)).toBeNull();
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

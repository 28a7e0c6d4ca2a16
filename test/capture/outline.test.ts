import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { normaliseEvent } from "../../src/capture/event/normalise.ts";
import { Members } from "../../src/capture/outline/outline.ts";
import { scanOutline } from "../../src/capture/outline/scan.ts";
import type { JsonObject, OutgoingEvent } from "../../src/types/mod.ts";
import { BLANKS, DOCUMENT, TEXT, TRICKY, writtenString } from "./documents.ts";
import { expectSlowSame } from "./sameOutline.ts";
import { outline } from "./slowOutline.ts";
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
      expect([text, expectSlowSame(text)]).toEqual([text, true]);
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
          if (mutated.isWellFormed() && expectSlowSame(mutated)) taken++;
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
        expect([mutated, isTaken(Buffer.from(mutated), 200)]).toEqual([mutated, expected]);
        if (expected) known++;
      }),
      { numRuns: 5000 },
    );
    expect(known).toBeGreaterThan(500);
    expect(isTaken(Buffer.from(`${"[".repeat(200)}${"]".repeat(200)}`), 200)).toBe(true);
    expect(isTaken(Buffer.from(`${"[".repeat(201)}${"]".repeat(201)}`), 200)).toBe(false);
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
        expectSlowSame(`[${pieces.join("")}]`);
        expectSlowSame(`["${pieces.join("")}"]`);
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
      expect([value, expectSlowSame(`[${value}]`)]).toEqual([value, true]);
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
        const found = scanOutline(Buffer.from(text), 200);
        if (typeof found === "string") throw new Error(`${found}: ${text}`);
        const accepted = [found, outline(Buffer.from(text), 200)].map((body) => {
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
        expectSlowSame(`[{"uuid":"${id}","event":${text},"properties":{"$session_id" :"${id}","alias":${text}}}]`);
      }),
      { numRuns: 2000 },
    );
  });

  test("says what nests too deep, and takes no time for it", () => {
    const nested = (depth: number) => Buffer.from("[".repeat(depth) + "]".repeat(depth));
    expect(scanOutline(nested(200), 200)).toBeObject();
    expect(scanOutline(nested(201), 200)).toBe("too_deep");
    expect(scanOutline(nested(1_000_000), 200)).toBe("too_deep");
  });
});

function isTaken(text: Buffer, maxDepth: number): boolean {
  return typeof scanOutline(text, maxDepth) !== "string";
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

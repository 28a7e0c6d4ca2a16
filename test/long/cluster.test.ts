import { expect, test } from "bun:test";
import { runFaults } from "../faults/run.ts";
import { findPostgres } from "../support/postgres.ts";

const RIGHT = { lost: 0, twice: 0, foreign: 0, outOfOrder: 0 };

test.if(findPostgres() !== null)(
  "a cluster whose parts fail one after the other: all that was accepted is stored once, in order, and it recovers by itself",
  async () => {
    const report = await runFaults();
    console.log(JSON.stringify(report));
    for (const { fault, ...found } of report.faults) {
      expect({ fault, ...found }).toMatchObject({ fault, ...RIGHT });
      expect(found.accepted).toBeGreaterThan(0);
    }
    expect(report.all).toMatchObject(RIGHT);
    expect(report.verified).toContain(" 0 problems");
  },
  3_000_000,
);

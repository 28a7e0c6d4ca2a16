import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import { defaultBudget, type MemoryParts, memoryParts, sumOf } from "../../src/memoryParts.ts";

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
const MACHINES = [512 * MiB, 1 * GiB, 2 * GiB, 4 * GiB, 24 * GiB, 512 * GiB].flatMap((memoryBytes) =>
  [0, 1, 4].map((workers) => ({ memoryBytes, workers })),
);
const BUDGETS = [1_300, 1_500, 2_000, 3_000, 4_000, 6_000, 12_000, 100_000, 1_000_000].map((mb) => mb * 1_000_000);
const names = Object.keys(memoryParts(8 * GiB, MACHINES[4]!)) as (keyof MemoryParts)[];

describe("a budget of memory", () => {
  test("is not exceeded by its parts together, and of a larger one no part is smaller", () => {
    for (const machine of MACHINES) {
      let before: MemoryParts | null = null;
      for (const budget of BUDGETS) {
        if (budget < defaultBudget({ ...machine, memoryBytes: 0 })) continue;
        const parts = memoryParts(budget, machine);
        expect(sumOf(parts)).toBeLessThanOrEqual(budget);
        for (const name of names) expect(parts[name]).toBeGreaterThanOrEqual(before?.[name] ?? 1);
        before = parts;
      }
      expect(before).not.toBeNull();
    }
  });

  test("is what the machine has room for, where none is set", () => {
    for (const machine of MACHINES) {
      const budget = defaultBudget(machine);
      expect(sumOf(memoryParts(budget, machine))).toBeLessThanOrEqual(budget);
    }
    const large = memoryParts(defaultBudget({ memoryBytes: 24 * GiB, workers: 1 }), {
      memoryBytes: 24 * GiB,
      workers: 1,
    });
    // Queries have what they had before there was a budget; what stores events stays within 1.5 GB.
    expect(large.queries).toBe(4 * GiB);
    expect(large.programs + large.broker + large.workers + large.compactor).toBeLessThan(1_500_000_000);
  });

  test("of a machine is as docs/settings.md says", () => {
    for (const machine of MACHINES) {
      const workers = Math.max(1, machine.workers);
      const most = (1_680 + 512 * workers) * MiB + Math.min(4 * GiB, (machine.memoryBytes * 3) / 8);
      const least = (928 + 256 * workers) * MiB;
      expect(defaultBudget(machine)).toBe(Math.max(least, Math.min(most, (machine.memoryBytes * 3) / 4)));
    }
    const queries = [1, 4, 8, 11].map((size) => {
      const machine = { memoryBytes: size * GiB, workers: 1 };
      return (memoryParts(defaultBudget(machine), machine).queries / GiB).toFixed(2);
    });
    expect(queries).toEqual(["0.19", "1.11", "3.00", "4.00"]);
  });

  test("that is too small for its parts is refused", () => {
    expect(() => loadConfig({ WEIR_MEMORY: "500000000" })).toThrow("WEIR_MEMORY must be at least");
  });

  test("gives way to the setting of a part", () => {
    const own = loadConfig({ WEIR_MEMORY: "2000000000" });
    const given = loadConfig({ WEIR_MEMORY: "2000000000", WEIR_QUERY_MEMORY: "3000000000", WEIR_FLUSH_MAX_BYTES: "7" });
    expect(own.queryMemoryBytes).toBe(own.memoryParts.queries);
    expect(given).toMatchObject({ queryMemoryBytes: 3_000_000_000, flushMaxBytes: 7, memoryParts: own.memoryParts });
    expect(() => loadConfig({ WEIR_WORKER_MEMORY: "1000" })).toThrow(
      "WEIR_WORKER_MEMORY must be an integer of at least",
    );
  });
});

import { expect, setSystemTime, test } from "bun:test";
import { retryBusy } from "../../src/store/retryBusy.ts";
import { DAY_MS } from "../../src/types/mod.ts";

test("a store that is busy is asked again though the clock of the machine is put forward", async () => {
  const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
  let tries = 0;
  const answer = retryBusy(async () => {
    tries++;
    if (tries > 1) return "done";
    setSystemTime(new Date(Date.now() + DAY_MS));
    throw busy;
  }).finally(() => setSystemTime());
  expect(await answer).toBe("done");
});

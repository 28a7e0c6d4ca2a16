import { WalkThreadDied } from "../walking/mod.ts";
import { standBehind, watchMemory } from "./memory.ts";
import type { FromProcess, ProcessSettings, ToProcess } from "./messages.ts";
import { classify } from "./queryErrors.ts";
import { Runner } from "./runner.ts";

/** A statement that ends sooner reports no progress. */
const PROGRESS_MS = 250;

/** A process that runs queries for its parent, and can be killed at any moment: it owns nothing. */
async function main(settings: ProcessSettings): Promise<void> {
  standBehind();
  const runner = new Runner(settings);
  const send = (message: FromProcess) => process.send!(message);
  process.on("message", async (message: ToProcess) => {
    if (message.kind === "cancel") return runner.cancel();
    const { id, statement } = message;
    const tellProgress = setInterval(() => {
      const progress = runner.progress();
      if (progress !== null) send({ kind: "progress", id, progress });
    }, PROGRESS_MS);
    const endWatch = watchMemory(settings.processLimitBytes);
    try {
      send({ kind: "result", id, result: await runner.run(statement) });
    } catch (error) {
      // What the thread had is lost, so the whole statement is to be asked again: as where a process dies.
      if (error instanceof WalkThreadDied) process.kill(process.pid, "SIGKILL");
      send({ kind: "error", id, ...classify(error, statement.files) });
    } finally {
      clearInterval(tellProgress);
      endWatch();
    }
  });
  await runner.ready();
  send({ kind: "ready" });
}

// Without its parent it has nothing to do; a running query must not keep it.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
// Ctrl-C goes to the whole process group; the parent decides when this one ends.
process.on("SIGINT", () => {});

await main(JSON.parse(process.argv[2] ?? "") as ProcessSettings);

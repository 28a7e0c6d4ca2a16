import { existsSync } from "node:fs";
import type { Config } from "../../config.ts";
import { diskRoom, readInstallation } from "../../health/mod.ts";
import { openCatalog } from "../../lake/mod.ts";
import { openExistingRecords, openStorage } from "../../roles/paths.ts";
import { brokerAddress, frontUrl } from "../../roles/urls.ts";
import type { Db } from "../../store/mod.ts";
import { type Bus, connectBus } from "../../stream/mod.ts";
import { describeError, WeirError } from "../../types/mod.ts";
import { bad, type Finding, ok, type Verdict } from "./finding.ts";
import { checkMachine } from "./machine.ts";
import { checkPlace } from "./place.ts";
import { checkFiles, checkRecords } from "./records.ts";
import { checkRunning } from "./running.ts";

const FRONT_TIMEOUT_MS = 5_000;

/** `weir doctor`: looks at everything that a Weir stands on. Gives 1 where something is bad. */
export async function runDoctor({ options }: { options: { json?: boolean } }, config: Config): Promise<number> {
  const findings = await examine(config);
  console.log(options.json ? JSON.stringify(findings) : text(findings));
  return findings.some(({ verdict }) => verdict === "bad") ? 1 : 0;
}

async function examine(config: Config): Promise<Finding[]> {
  if (!existsSync(config.dataDir)) {
    return [bad("folder", `${config.dataDir} (WEIR_DATA_DIR) does not exist.`, "`weir start` makes it.")];
  }
  const machine = await checkMachine(config);
  const db = await openExistingRecords(config).catch(told("records", "The store has to be there and answer first."));
  if (!isDb(db)) return [...machine, db];
  try {
    return [
      ...machine,
      ...(await checkRecords(db, config)),
      ...(await checkStore(config, db)),
      ...(await checkBroker(config, db)),
      await checkFront(config),
    ];
  } finally {
    await db.close();
  }
}

/** The store of segments, and the files in it. */
async function checkStore(config: Config, db: Db): Promise<Finding[]> {
  const advice = "Look at the folders and the disks, at WEIR_STORE_URL and at the settings beside it.";
  try {
    const storage = openStorage(config, { isShared: false });
    return [
      ...(config.storeUrl === null ? [] : [await checkPlace(config.storeUrl, storage)]),
      ...(await checkFiles(db, storage)),
    ];
  } catch (error) {
    return [told("store", advice)(error)];
  }
}

const isDb = (found: Db | Finding): found is Db => "read" in found;

async function checkBroker(config: Config, db: Db): Promise<Finding[]> {
  const opening = Promise.try(() => connectBus(brokerAddress(config), { name: "weir-doctor" }));
  const bus: Bus | Finding = await opening.catch(
    told("broker", "Start Weir, or the NATS servers that NATS_URL names."),
  );
  if ("verdict" in bus) return [bus];
  try {
    const disk = await diskRoom(config.dataDir);
    const status = await readInstallation({ bus, catalog: openCatalog(db), queue: null, disk }, Date.now());
    return [ok("broker", `nats-server ${bus.serverVersion} answers.`), ...checkRunning(status, Date.now())];
  } catch (error) {
    return [bad("broker", describeError(error), "Look at the log of nats-server, and at its disk.")];
  } finally {
    await bus.close();
  }
}

async function checkFront(config: Config): Promise<Finding> {
  try {
    const url = frontUrl(config);
    const answer = await fetch(`${url}/_readiness`, { signal: AbortSignal.timeout(FRONT_TIMEOUT_MS) });
    const reason = (await answer.text()).trim();
    if (answer.ok) return ok("front", `${url} takes events.`);
    return bad("front", `${url} refuses events: ${reason}.`, "The other findings tell why, or its log.");
  } catch (error) {
    return bad("front", `No front answers: ${describeError(error)}`, "Start Weir.");
  }
}

/** Makes a finding of a typed error, and of a file or folder that cannot be used; others are defects, and go on. */
function told(of: string, advice: string): (error: unknown) => Finding {
  return (error) => {
    if (error instanceof WeirError || isOfSystem(error)) return bad(of, error.message, advice);
    throw error;
  };
}

/** A disk is full, a folder may not be written. */
const isOfSystem = (error: unknown): error is Error => error instanceof Error && "syscall" in error;

const MARKS: Record<Verdict, string> = { ok: "ok  ", odd: "look", bad: "BAD " };

function text(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ of }) => of.length));
  const lines = findings.flatMap(({ of, verdict, found, advice }) => [
    `${MARKS[verdict]}  ${of.padEnd(width)}  ${found}`,
    ...(advice === null ? [] : [`      ${" ".repeat(width)}  ${advice}`]),
  ]);
  const [bads, odds] = (["bad", "odd"] as const).map(
    (verdict) => findings.filter((each) => each.verdict === verdict).length,
  );
  const sum = bads === 0 && odds === 0 ? "All is well." : `${bads} bad, ${odds} worth a look.`;
  return [...lines, "", sum].join("\n");
}

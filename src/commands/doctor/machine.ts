import { statSync } from "node:fs";
import { version } from "../../../package.json";
import { type Config, machineMemory } from "../../config.ts";
import { diskRoom } from "../../health/mod.ts";
import { findNatsServer } from "../../stream/mod.ts";
import { describeError } from "../../types/mod.ts";
import { bad, type Finding, odd, ok } from "./finding.ts";

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
/** Less than this share of the disk: it will be full before long. */
const LITTLE_ROOM = 0.1;
/** Others of this machine. */
const OTHERS = 0o077;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "::1"]);

const gib = (bytes: number): string => `${(bytes / GiB).toFixed(1)} GiB`;

/** What can be said without a running Weir. */
export async function checkMachine(config: Config): Promise<Finding[]> {
  return [checkVersions(config), memoryOf(config), ...(await checkFolder(config)), ...checkAddress(config)];
}

function checkVersions({ natsUrl, natsServerPath }: Config): Finding {
  const own = `Weir ${version}, Bun ${Bun.version}`;
  if (natsUrl !== null) return ok("versions", `${own}, NATS elsewhere.`);
  try {
    const path = findNatsServer(natsServerPath);
    return ok("versions", `${own}, ${Bun.spawnSync([path, "--version"]).stdout.toString().trim()} (${path}).`);
  } catch (error) {
    return bad("versions", `${own}. ${describeError(error)}`, "Install nats-server.");
  }
}

/** How its memory is divided. */
function memoryOf({ memoryBytes, memoryParts }: Config): Finding {
  const mib = (bytes: number) => `${Math.round(bytes / MiB)} MiB`;
  const parts = Object.entries(memoryParts).map(([name, bytes]) => `${name} ${mib(bytes)}`);
  const found = `${mib(memoryBytes)} at most (WEIR_MEMORY): ${parts.join(", ")}.`;
  const machineBytes = machineMemory();
  if (memoryBytes <= machineBytes) return ok("memory", found);
  return odd("memory", `${found} The machine has ${mib(machineBytes)}.`, "Give it less than the machine has.");
}

async function checkFolder({ dataDir, diskMinFreeBytes }: Config): Promise<Finding[]> {
  const { mode } = statSync(dataDir);
  const isOpen = (mode & OTHERS) !== 0;
  const folder = isOpen
    ? odd("folder", `Other users of this machine may look into ${dataDir}.`, `chmod 700 ${dataDir}`)
    : ok("folder", `${dataDir} is for its owner alone.`);
  const { freeBytes, totalBytes } = await diskRoom(dataDir);
  const room = `${gib(freeBytes)} of ${gib(totalBytes)} are free.`;
  if (freeBytes < diskMinFreeBytes) {
    const advice = "Free some room: new events are answered 503 until then (WEIR_DISK_MIN_FREE_BYTES).";
    return [folder, bad("disk", room, advice)];
  }
  const isLittle = freeBytes < totalBytes * LITTLE_ROOM;
  return [folder, isLittle ? odd("disk", room, "Give it more room, or move other things away.") : ok("disk", room)];
}

function checkAddress({ host, publicUrl, metricsToken }: Config): Finding[] {
  if (LOOPBACK.has(host)) return [ok("address", `Weir listens on ${host}, for this machine alone.`)];
  const findings: Finding[] = [];
  if (publicUrl === null) {
    const advice =
      "Set WEIR_PUBLIC_URL to the address by which browsers reach Weir: else they cannot log in by a name.";
    findings.push(odd("address", `Weir listens on ${host} without a public address.`, advice));
  } else findings.push(ok("address", `Weir listens on ${host}, and is reached by ${publicUrl}.`));
  if (metricsToken === null) {
    findings.push(odd("metrics", `Everyone who reaches ${host} may read /metrics.`, "Set WEIR_METRICS_TOKEN."));
  }
  return findings;
}

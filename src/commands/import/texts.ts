import type { DryRun, Report } from "../../import/mod.ts";
import { count, duration, size } from "./words.ts";

/** How an import came out, for people. */
export function reportText(r: Report): string {
  const lines = [
    `Import ${r.id} from ${r.source} into project ${r.project}:`,
    `  rows        ${count(r.rows)}`,
    `  stored      ${count(r.stored)}`,
    `  duplicates  ${count(r.duplicates)}`,
    `  rejected    ${count(r.rejected)}${byName(r.rejectedBy)}`,
    `  left out    ${count(r.leftOut)}${byName(r.leftOutBy)}`,
  ];
  if (r.persons > 0) lines.push(`  persons     ${count(r.persons)}`);
  if (r.missing > 0) lines.push(`  MISSING     ${count(r.missing)}`);
  const { made } = r;
  if (made.sent + made.refused > 0) {
    const missing = made.missing === 0 ? "" : `, ${count(made.missing)} MISSING`;
    const refused = made.refused === 0 ? "" : `, ${count(made.refused)} not taken by the Weir`;
    lines.push(
      `  made        ${count(made.sent)} (links and groups): ${count(made.stored)} stored, ${count(made.duplicates)} duplicates${missing}${refused}`,
    );
  }
  if (r.sharedDeviceCount > 0) lines.push(sharedText(r.sharedDeviceCount, r.sharedDevices));
  for (const { uuid, day } of r.missingExamples) lines.push(`  missing: ${uuid} of ${day}`);
  if (r.rejects !== null) lines.push(`  Rejects are in ${r.rejects}; mended, they can be imported.`);
  if (!r.isWhole) lines.push("Not every row is accounted for.");
  return lines.join("\n");
}

/** `(bad_time 3, no_id 1)` */
function byName(counts: Record<string, number>): string {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  return entries.length === 0 ? "" : ` (${entries.map(([name, n]) => `${name} ${count(n)}`).join(", ")})`;
}

function sharedText(devices: number, examples: Report["sharedDevices"]): string {
  const shown = examples.slice(0, 3).map(({ device, users }) => `${device}: ${users.join(", ")}`);
  return `  shared devices, not linked: ${count(devices)} (${shown.join("; ")})`;
}

/** What an import would bring, for people. */
export function dryRunText(d: DryRun): string {
  const lines = [
    `${d.isSample ? "The first " : ""}${count(d.rows)} rows${d.isSample ? "" : ""}: ${count(d.events)} events${d.from === null ? "" : ` from ${d.from} to ${d.to}`}`,
    `${count(d.distinctIds)}${d.hasMoreIds ? " or more" : ""} distinct ids, ${count(d.persons)} persons, ${count(d.made)} made events (${count(d.links)} links)`,
    "",
    `Events (${count(d.eventNameCount)} names):`,
    ...d.eventNames.map(({ name, events }) => `  ${count(events).padStart(12)}  ${name}`),
  ];
  const section = (title: string, rows: string[]) => {
    if (rows.length > 0) lines.push("", title, ...rows.map((row) => `  ${row}`));
  };
  section(
    `Rejected: ${count(d.rejected)}`,
    d.rejectedBy.flatMap(({ reason, rows, examples }) => [
      `${reason}: ${count(rows)}`,
      ...examples.map(({ place, message, raw }) => `  ${place}: ${message}  ${raw}`),
    ]),
  );
  section(
    "Left out:",
    Object.entries(d.leftOutBy).map(([reason, rows]) => `${count(rows)}  ${reason}`),
  );
  if (d.sharedDevices > 0) {
    section(
      `Devices of several users, which are not linked: ${count(d.sharedDevices)}`,
      d.sharedExamples.slice(0, 5).map(({ device, users }) => `${device}: ${users.join(", ")}`),
    );
  }
  if (d.identical > 0) section("Identical rows, each an event of its own:", [count(d.identical)]);
  section(
    "Columns that nothing uses:",
    d.unusedColumns.map(({ name, rows }) => `${name} (${count(rows)} rows)`),
  );
  section(
    "Properties of mixed types:",
    d.mixedTypes.map(({ name, types }) => `${name}${byName(types)}`),
  );
  section(
    "Properties with a meaning to Weir:",
    d.specialNames.map(({ name, events }) => `${name} (${count(events)})`),
  );
  section("Files that are not read:", [...d.passedOver]);
  lines.push("", `About ${duration(d.expectedSeconds)}, and ${size(d.expectedDiskBytes)} of disk.`);
  return lines.join("\n");
}

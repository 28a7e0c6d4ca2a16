import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Config, settingNames } from "../config.ts";
import { TerminalError, UsageError } from "../types/mod.ts";
import type { Arguments } from "./kit/command.ts";

const REPO = resolve(import.meta.dir, "../..");
/** A stop takes at most 21 seconds; then systemd may kill. */
const STOP_S = 30;
/** Connections of clients, and files of the lake. */
const OPEN_FILES = 65_536;

type Given = Arguments<{ user: "text"; print: "flag"; force: "flag" }>;

/**
 * `weir install-service`: a unit of systemd that runs `weir start`; as root for the system, else for this user. Throws UsageError,
 * TerminalError `exists`.
 */
export async function installService({ options }: Given, config: Config): Promise<number> {
  const isRoot = userInfo().uid === 0;
  if (isRoot && options.user === undefined)
    throw new UsageError("As root --user NAME is needed: Weir should not run as root.");
  if (!isRoot && options.user !== undefined) throw new UsageError("--user is for root.");
  const settings = settingsOf(process.env, config);
  const text = unitText({ dataDir: config.dataDir, user: options.user ?? null, settings });
  if (options.print) {
    process.stdout.write(text);
    return 0;
  }
  const path = isRoot ? "/etc/systemd/system/weir.service" : join(configHome(), "systemd", "user", "weir.service");
  if (existsSync(path) && !options.force)
    throw new TerminalError("exists", `${path} exists already: --force replaces it.`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  // It may name keys and passwords.
  chmodSync(path, 0o600);
  const ctl = isRoot ? "systemctl" : "systemctl --user";
  console.log(
    [
      `Wrote ${path}.`,
      "",
      `  ${ctl} daemon-reload`,
      `  ${ctl} enable --now weir`,
      ...(isRoot ? [] : ["  loginctl enable-linger     # it goes on after you log out"]),
      `  ${isRoot ? "journalctl -u weir" : "journalctl --user -u weir"}       # its log; the first keys are there`,
    ].join("\n"),
  );
  return 0;
}

const configHome = (): string => process.env.XDG_CONFIG_HOME || join(homedir(), ".config");

/** The settings of this shell, which the service gets too. Credentials of other programs stay out where no bucket needs them. */
function settingsOf(env: Record<string, string | undefined>, config: Config): [name: string, value: string][] {
  const hasBucket = config.storeUrl?.startsWith("s3://") === true;
  return settingNames()
    .filter((name) => name !== "WEIR_DATA_DIR" && (hasBucket || !name.startsWith("AWS_")))
    .sort()
    .flatMap((name) => (env[name] ? [[name, env[name]]] : []));
}

interface Unit {
  dataDir: string;
  /** Null: that of the user manager. */
  user: string | null;
  settings: readonly [name: string, value: string][];
}

function unitText({ dataDir, user, settings }: Unit): string {
  const environment = [["WEIR_DATA_DIR", dataDir] as const, ...settings];
  return `[Unit]
Description=Weir, product analytics
Wants=network-online.target
After=network-online.target

[Service]
${user === null ? "" : `User=${user}\n`}ExecStart=${escaped(join(REPO, "scripts", "weir")).replaceAll("$", "$$$$")} start
${environment.map(([name, value]) => `Environment=${escaped(`${name}=${value}`)}`).join("\n")}
Restart=on-failure
RestartSec=2
# The main process stops its children in order.
KillMode=mixed
TimeoutStopSec=${STOP_S}
LimitNOFILE=${OPEN_FILES}
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=${user === null ? "default.target" : "multi-user.target"}
`;
}

/** A word as systemd reads it, in which `%` stands for itself. Throws TerminalError `invalid_setting`. */
function escaped(word: string): string {
  if (/[\n\r\0]/.test(word))
    throw new TerminalError("invalid_setting", "A setting with a line break cannot be given to a service.");
  return `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
}

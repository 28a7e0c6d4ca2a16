import { join } from "node:path";

export const REPO = join(import.meta.dir, "..", "..");
/** The command of a clone. */
export const WEIR = join(REPO, "scripts", "weir");

export interface Ended {
  out: string;
  error: string;
  code: number;
}

/** Runs a command to its end; `WEIR_DATA_DIR` and the like are those of `env` alone. */
export async function runCommand(
  command: string[],
  { env = {}, cwd = REPO }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  const own = { WEIR_DATA_DIR: undefined, DATABASE_URL: undefined, NATS_URL: undefined, ...env };
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...own },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, error, code };
}

/** `weir` on a data folder. */
export function weirOn(dataDir: string, argv: string[], env: Record<string, string> = {}): Promise<Ended> {
  return runCommand([WEIR, ...argv], { env: { WEIR_DATA_DIR: dataDir, ...env } });
}

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

const UNPACKED = new URL("../../.tools/chromium/chromium", import.meta.url).pathname;

function findChromium(): string {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const path = Bun.which(name);
    if (path !== null) return path;
  }
  if (existsSync(UNPACKED)) return UNPACKED;
  throw new Error("these tests need Chromium: scripts/setup --tests unpacks it");
}

/** A browser with an empty profile, without a window, that talks to no host but those its pages name. */
export async function startChromium(): Promise<BrowserContext & AsyncDisposable> {
  const profile = mkdtempSync(join(tmpdir(), "weir-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    headless: true,
    // Its sandbox does not start as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  return Object.assign(context, {
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  });
}

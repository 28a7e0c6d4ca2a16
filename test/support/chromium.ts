import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

const UNPACKED = new URL("../../.tools/chromium/chromium", import.meta.url).pathname;

/** The first ones are those of Playwright that matter here: the browser takes one list. */
const DISABLED = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  // A process is started for the next page before there is one, and every second one is never used.
  "SpareRendererForSitePerProcess",
];

function findChromium(): string {
  for (const name of ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]) {
    const path = Bun.which(name);
    if (path !== null) return path;
  }
  if (existsSync(UNPACKED)) return UNPACKED;
  throw new Error("these tests need Chromium: scripts/setup --tests unpacks it");
}

/** It has no window on a screen, and talks to no host but those its pages name. */
const options = () => ({
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
    `--disable-features=${DISABLED.join(",")}`,
  ],
});

let shared: Promise<Browser> | undefined;

/**
 * The browser that all tests of this process share, for a start takes longer than many a test. It ends with the process, whose pipe it
 * listens to.
 */
function sharedBrowser(): Promise<Browser> {
  const forget = () => {
    shared = undefined;
  };
  if (shared === undefined) {
    shared = chromium.launch(options());
    shared.then((browser) => browser.on("disconnected", forget), forget);
  }
  return shared;
}

/** A window that shares no cookie, no storage and no cache with others. */
export async function openWindow(): Promise<BrowserContext & AsyncDisposable> {
  const context = await (await sharedBrowser()).newContext();
  return Object.assign(context, { [Symbol.asyncDispose]: () => context.close() });
}

/** A browser of its own with an empty profile, for measurements. */
export async function startChromium(): Promise<BrowserContext & AsyncDisposable> {
  const profile = mkdtempSync(join(tmpdir(), "weir-chromium-"));
  const context = await chromium.launchPersistentContext(profile, options());
  return Object.assign(context, {
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  });
}

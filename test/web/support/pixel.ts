import { inflateSync } from "node:zlib";
import type { Page } from "playwright-core";

const HEAD_BYTES = 8;

/** The colour in the lower right corner of what a page shows, as [red, green, blue]. */
export async function cornerOf(page: Page): Promise<number[]> {
  const { width, height } = page.viewportSize()!;
  const clip = { x: width - 1, y: height - 1, width: 1, height: 1 };
  const png = await page.screenshot({ type: "png", clip, animations: "allow", caret: "initial" });
  const parts: Buffer[] = [];
  for (let at = HEAD_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  // A row begins with its filter, which changes nothing in a first pixel.
  return Array.from(inflateSync(Buffer.concat(parts)).subarray(1, 4));
}

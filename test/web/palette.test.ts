import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

// The colours of series as people see them who lack one kind of cones: Machado, Oliveira and Fernandes (2009), severity 1.
type Triple = readonly [number, number, number];
const SIGHTS: Readonly<Record<string, readonly Triple[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};
const css = readFileSync(new URL("../../src/web/app/styles/tokens.css", import.meta.url), "utf8");

/** The two colours of a token as linear light. */
function token(name: string): Record<"light" | "dark", Triple> {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css)!;
  return { light: linear(light!), dark: linear(dark!) };
}

const linear = (hex: string): Triple =>
  [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;

const times = (rows: readonly Triple[], [r, g, b]: Triple): Triple =>
  rows.map(([x, y, z]) => Math.min(1, Math.max(0, x * r + y * g + z * b))) as unknown as Triple;

/** CIELAB of sRGB, white of D65. */
function lab(color: Triple): Triple {
  const [x, y, z] = times(
    [
      [0.4124564, 0.3575761, 0.1804375],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339, 0.119192, 0.9503041],
    ],
    color,
  );
  const bent = (part: number) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116);
  const [fx, fy, fz] = [bent(x / 0.95047), bent(y), bent(z / 1.08883)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const RADIANS = Math.PI / 180;
const angle = (a: number, b: number) => (Math.atan2(b, a) / RADIANS + 360) % 360;
/** How grey a chroma is, after its seventh power. */
const grey = (chroma: number) => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));

/** The difference of two colours by CIEDE2000: 1 can just be seen. */
function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const stretch = 1.5 - 0.5 * grey((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2);
  const [c1, c2] = [Math.hypot(stretch * a1, b1), Math.hypot(stretch * a2, b2)];
  const [h1, h2] = [angle(stretch * a1, b1), angle(stretch * a2, b2)];
  const turn = ((h2 - h1 + 540) % 360) - 180;
  const [lightness, chroma, hue] = [(l1 + l2) / 2, (c1 + c2) / 2, h1 + turn / 2];
  const cos = (factor: number, shift: number) => Math.cos((factor * hue + shift) * RADIANS);
  const t = 1 - 0.17 * cos(1, -30) + 0.24 * cos(2, 0) + 0.32 * cos(3, 6) - 0.2 * cos(4, -63);
  const dl = (l2 - l1) / (1 + (0.015 * (lightness - 50) ** 2) / Math.sqrt(20 + (lightness - 50) ** 2));
  const dc = (c2 - c1) / (1 + 0.045 * chroma);
  const dh = (2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * RADIANS)) / (1 + 0.015 * chroma * t);
  const blue = ((((hue % 360) + 360) % 360) - 275) / 25;
  const rotation = -2 * grey(chroma) * Math.sin(60 * Math.exp(-(blue ** 2)) * RADIANS);
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh);
}

const brightness = ([r, g, b]: Triple) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
function contrast(one: Triple, other: Triple): number {
  const [low, high] = [brightness(one), brightness(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

const series = Array.from({ length: 8 }, (_, index) => token(`series-${index + 1}`));
const surface = token("surface");

test("the difference is that of the published examples", () => {
  // Sharma, Wu and Dalal (2005), pairs 1, 7, 17 and 25.
  expect(difference([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 3);
  expect(difference([50, 0, 0], [50, -1, 2])).toBeCloseTo(2.3669, 3);
  expect(difference([50, 2.5, 0], [73, 25, -18])).toBeCloseTo(27.1492, 3);
  expect(difference([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387])).toBeCloseTo(1.2644, 3);
});

test.each([
  ["light", "usual"],
  ["light", "deuteranopia"],
  ["light", "protanopia"],
  ["dark", "usual"],
  ["dark", "deuteranopia"],
  ["dark", "protanopia"],
] as const)("in the %s scheme, seen with %s, the colours of series can be told apart", (scheme, sight) => {
  const seen = series.map((color) => lab(times(SIGHTS[sight]!, color[scheme])));
  const pairs = seen.flatMap((one, index) => seen.slice(0, index).map((other) => difference(one, other)));
  const neighbours = seen.slice(1).map((one, index) => difference(one, seen[index]!));
  expect(Math.min(...pairs)).toBeGreaterThan(10);
  expect(Math.min(...neighbours)).toBeGreaterThan(14);
});

test.each(["light", "dark"] as const)("in the %s scheme they stand out from what is behind them", (scheme) => {
  for (const color of series) expect(contrast(color[scheme], surface[scheme])).toBeGreaterThan(3);
});

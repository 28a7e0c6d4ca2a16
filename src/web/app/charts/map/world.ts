import { type GeoPermissibleObjects, geoNaturalEarth1, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import atlas from "world-atlas/countries-110m.json";
import { codeOf } from "./codes.ts";

interface Shape {
  /** Two letters; null for a shape of no country. */
  code: string | null;
  path: string;
}

const WIDTH = 960;
const HEIGHT = 452;
const MARGIN = 2;
const ANTARCTICA = "AQ";

/** Of the drawing that all paths are for. */
export const VIEW_BOX = `0 0 ${WIDTH} ${HEIGHT}`;

let drawn: readonly Shape[] | undefined;
let codes: ReadonlySet<string | null> | undefined;

/** All countries as SVG paths (Natural Earth, 1:110 million), without Antarctica. */
export function shapes(): readonly Shape[] {
  drawn ??= draw();
  return drawn;
}

/** Whether the map has a country; the smallest are not on it. */
export function hasCode(code: string): boolean {
  codes ??= new Set(shapes().map((shape) => shape.code));
  return codes.has(code);
}

function draw(): Shape[] {
  const topology = atlas as unknown as Topology<{ countries: GeometryCollection<{ name: string }> }>;
  const { features } = feature(topology, topology.objects.countries);
  const coded = features.map((one) => ({ one, code: codeOf(one.id as string | undefined, one.properties.name) }));
  const kept = coded.filter(({ code }) => code !== ANTARCTICA);
  const all: GeoPermissibleObjects = { type: "FeatureCollection", features: kept.map(({ one }) => one) };
  const projection = geoNaturalEarth1().fitExtent(
    [
      [MARGIN, MARGIN],
      [WIDTH - MARGIN, HEIGHT - MARGIN],
    ],
    all,
  );
  const pathOf = geoPath(projection).digits(1);
  // A country in two shapes has one path.
  const byCode = new Map<string | null, string>();
  for (const { one, code } of kept) byCode.set(code, (byCode.get(code) ?? "") + (pathOf(one) ?? ""));
  return Array.from(byCode, ([code, path]) => ({ code, path }));
}

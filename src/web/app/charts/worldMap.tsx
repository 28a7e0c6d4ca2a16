import { useRef } from "preact/hooks";
import { HeatScale } from "./calendarHeat.tsx";
import { countryName } from "./map/names.ts";
import { CountryShapes } from "./map/shapes.tsx";
import { Chunk, useChunk } from "./parts/chunk.tsx";
import { useHover } from "./parts/hover.ts";
import { ChartPart } from "./parts/part.tsx";
import { useRoving } from "./parts/roving.ts";
import { useScrollStop } from "./parts/scrollStop.ts";
import { Tip, TipRows } from "./parts/tip.tsx";
import type { Format } from "./parts/types.ts";

interface WorldMapProps {
  /** By ISO 3166 codes of two letters. */
  countries: readonly { code: string; value: number }[];
  format: Format;
  onPick?(index: number): void;
}

const maps = new Chunk(() => import("./map/world.ts"));

/** Countries, darker where there is more. Those too small for the map, and what is no country, stand below it. */
export function WorldMap({ countries, format, onPick }: WorldMapProps) {
  const root = useRef<HTMLDivElement>(null);
  useRoving(root);
  useScrollStop(root, onPick === undefined);
  const { loaded, problem } = useChunk(maps);
  const { hover, on } = useHover<string>();
  const max = Math.max(0, ...countries.map(({ value }) => value));
  const missing =
    loaded === undefined
      ? []
      : countries.flatMap((one, index) => (loaded.hasCode(one.code) ? [] : [{ ...one, index }]));
  const pointed = hover === null ? undefined : countries.find(({ code }) => code === hover.what);
  return (
    <div ref={root} class="world-map">
      {problem}
      {loaded !== undefined && (
        <CountryShapes world={loaded} countries={countries} max={max} format={format} on={on} onPick={onPick} />
      )}
      <div class="world-foot">
        <HeatScale max={max} format={format} />
        <span class="world-hint">
          <span class="world-none" aria-hidden="true" />{" "}
          {countries.length === 0 ? "No data for any country" : "No data"}
        </span>
        {missing.length > 0 && (
          <ul class="world-missing" aria-label="Not on the map" tabIndex={onPick === undefined ? 0 : undefined}>
            {missing.map(({ code, value, index }) => (
              <li key={code}>
                <ChartPart
                  at={`${1000 + index},0`}
                  label={`${countryName(code)}: ${format(value)}`}
                  onPick={onPick && (() => onPick(index))}
                >
                  <bdi>{countryName(code)}</bdi> {format(value)}
                </ChartPart>
              </li>
            ))}
          </ul>
        )}
      </div>
      {hover !== null && (
        <Tip x={hover.x} y={hover.y}>
          <TipRows
            title={countryName(hover.what)}
            rows={pointed === undefined ? [] : [{ key: "value", label: "Value", value: format(pointed.value) }]}
            more={pointed === undefined ? "No data" : undefined}
          />
        </Tip>
      )}
    </div>
  );
}

import { useMemo } from "preact/hooks";
import { heatPercent } from "../parts/color.ts";
import type { HoverProps } from "../parts/hover.ts";
import { SvgPart } from "../parts/svgPart.tsx";
import type { Format } from "../parts/types.ts";
import { countryName } from "./names.ts";

interface CountryShapesProps {
  world: typeof import("./world.ts");
  countries: readonly { code: string; value: number }[];
  max: number;
  format: Format;
  on(code: string): HoverProps;
  onPick?(index: number): void;
}

/** The map. By keyboard the countries with values come in the order of these. */
export function CountryShapes({ world, countries, max, format, on, onPick }: CountryShapesProps) {
  const byCode = useMemo(() => new Map(countries.map((one, index) => [one.code, { ...one, index }])), [countries]);
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: its parts have names
    <svg class="world" viewBox={world.VIEW_BOX}>
      {world.shapes().map(({ code, path }) => {
        const one = code === null ? undefined : byCode.get(code);
        if (one === undefined) {
          const handlers = code === null ? {} : pointing(on(code));
          return <path key={code ?? path.slice(0, 40)} class="country" d={path} {...handlers} />;
        }
        return (
          <SvgPart
            key={code}
            class="country known"
            d={path}
            style={{ "--heat-share": `${heatPercent(one.value, max)}%` }}
            at={`${one.index},0`}
            label={`${countryName(one.code)}: ${format(one.value)}`}
            onPick={onPick && (() => onPick(one.index))}
            {...on(one.code)}
          />
        );
      })}
    </svg>
  );
}

const pointing = ({ onPointerMove, onPointerLeave }: HoverProps) => ({
  onPointerMove,
  onPointerLeave,
});

import type { Journey } from "../journeys/mod.ts";
import { PERSON_MODE_NUMBER } from "../typed/mod.ts";

/** A kind of event of a journey, as far as walks tell them apart. */
export interface EventKind {
  name: string;
  isPersonless: boolean;
}

/** Two kinds are alike where it is the same. */
export const keyOf = ({ name, isPersonless }: EventKind): string => `${isPersonless} ${name}`;

/** The kinds by the places that `Journey.events` holds. */
export const kindsOf = ({ names, modes }: Journey): EventKind[] =>
  names.map((name, i) => ({ name, isPersonless: modes[i] === PERSON_MODE_NUMBER.propertyless }));

/** The number in `person_mode`. */
export const modeOf = ({ isPersonless }: EventKind): number =>
  isPersonless ? PERSON_MODE_NUMBER.propertyless : PERSON_MODE_NUMBER.full;

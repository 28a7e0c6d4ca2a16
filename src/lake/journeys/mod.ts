export { type Journey, MAX_NAMES } from "./journey.ts";
export { encodeJourney, journeyProject, openJourney } from "./journeyFile.ts";

/** Persons of the rows that batch exports have of them. */
export { groupPersons, mapGroupedPerson } from "./group.ts";

/** The variables of an operation on the link between two catalog records. */
export const pairVariables = '$workspace: UUID!, $catalog: String!, $record: UUID!, $synonym: UUID!';
/** Its arguments with these variables. */
export const pairArguments = 'workspace: $workspace, catalog: $catalog, record: $record, synonym: $synonym';

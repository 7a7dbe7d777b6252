// Reads the schema of tables of Cassandra or ScyllaDB, as DESCRIBE prints it. Pure functions of the
// bytes.
// Source: Cassandra 3.11 to 5.0 cql3/Cql.g, schema/TableMetadata.java, ScyllaDB 2026
// cql3/statements/cf_prop_defs.cc.
#pragma once

#include "traces/stores/options_file.h"

namespace lsmlab::stores {

[[nodiscard]] bool is_table_schema(std::string_view bytes);

/// The options of each CREATE TABLE and CREATE MATERIALIZED VIEW, and of ALTER of both with
/// options, which replaces a map option as a whole. The family is "keyspace.table". Members of a
/// map option have names such as "compaction.class"; a class has no package. Faults: a CREATE ends
/// before its
/// ';', or a statement within a name, a string or a map; no table at all.
[[nodiscard]] Salvaged<StoreOptions> read_table_schema(std::string_view bytes);

}  // namespace lsmlab::stores

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace tasktwin::verify {

/// Options that several commands share. Wrong values are usage errors that name the valid ones.

/// Scenario files or shipped names, as positional arguments.
CLI::Option* add_scenarios(CLI::App& app, std::vector<std::string>& scenarios);
void add_designs(CLI::App& app, std::string& designs);

/// --format text|json.
void add_format(CLI::App& app, bool& json);
/// --format with words of the command's own, of which `format` holds the default.
void add_format(CLI::App& app, std::string& format, const std::vector<std::string>& words);

/// A decimal whole number from `low` to `high`.
void add_whole(CLI::App& app, const std::string& name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
               const std::string& help);

/// A finite number of at least 0, in per cent; stored as a fraction.
void add_percent(CLI::App& app, const std::string& name, double& fraction, const std::string& help);

}  // namespace tasktwin::verify

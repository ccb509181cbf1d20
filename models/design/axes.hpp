#pragma once

// The axes of a Design whose values are words, by subject. A value's word is what files, tables and errors write.
#include "models/axes/devices.hpp"
#include "models/axes/dispatchers.hpp"
#include "models/axes/graphs.hpp"
#include "models/axes/memory.hpp"
#include "models/axes/queues.hpp"
#include "models/axes/scheduling.hpp"
#include "models/axes/streams.hpp"
#include "models/axes/workers.hpp"

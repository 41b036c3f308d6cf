#!/bin/sh
echo filled
